import type { FieldPath } from "../../../../meta/field-error.ts";
import { containersOf } from "../validation/os.ts";
import { mostWarnings } from "../../../../meta/strategy.ts";
import type { ContainerPort } from "../container.ts";
import type { PodSpec } from "../spec.ts";

interface Placed {
  readonly port: ContainerPort;
  readonly at: string;
}

/** Warnings about duplicate or ambiguous ports of all containers. */
export function portWarnings(spec: PodSpec, path: FieldPath): readonly string[] {
  const ports = [...containersOf(spec, path)].flatMap(([{ ports = [] }, place]) =>
    ports.map((port, i): Placed => ({ port, at: place.child("ports").index(i).toString() })),
  );
  return [...allClashes(ports), ...sharedNames(ports)];
}

function allClashes(ports: readonly Placed[]): readonly string[] {
  const texts: string[] = [];
  /** Only ports of the same number and protocol can conflict. */
  const before = new Map<string, Placed[]>();
  for (const one of ports) {
    if (texts.length >= mostWarnings) break;
    const number = `${one.port.containerPort}/${one.port.protocol}`;
    const others = before.get(number) ?? [];
    texts.push(...clashes(one, others));
    // Bounds the comparisons if there are very many ports.
    if (others.length < mostWarnings) others.push(one);
    before.set(number, others);
  }
  return texts;
}

function clashes({ port, at }: Placed, before: readonly Placed[]): readonly string[] {
  const { containerPort, protocol, hostIP = "", hostPort = 0, name = "" } = port;
  const texts: string[] = [];
  if (hostIP !== "" && hostPort === 0) {
    const shown = `{Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
    texts.push(`${at}: hostIP set without hostPort: ${shown}`);
  }
  for (const other of before) {
    const { hostIP: otherIP = "", hostPort: otherPort = 0 } = other.port;
    if (hostIP === otherIP && hostPort === otherPort)
      texts.push(`${at}: duplicate port definition with ${other.at}`);
    else if (hostPort === 0 || otherPort === 0)
      texts.push(`${at}: overlapping port definition with ${other.at}`);
    else if (hostPort === otherPort && (hostIP === "") !== (otherIP === ""))
      texts.push(`${at}: dangerously ambiguous port definition with ${other.at}`);
  }
  return texts;
}

function sharedNames(ports: readonly Placed[]): readonly string[] {
  const firsts = new Map<string, string>();
  return ports.flatMap(({ port: { name = "" }, at }) => {
    if (name === "") return [];
    const first = firsts.get(name);
    if (first === undefined) {
      firsts.set(name, at);
      return [];
    }
    return [
      `${at}: duplicate port name ${JSON.stringify(name)} with ${first}, services and probes that select ports by name will use ${first}`,
    ];
  });
}
