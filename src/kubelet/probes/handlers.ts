import { connect } from "node:net";
import type { Container } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { HTTPGetAction, Probe, TCPSocketAction } from "../../api/core/pod/probe.ts";
import type { NodeContext } from "../node-context.ts";
import type { CheckAction } from "../runtime.ts";
import { grpcCheck } from "./grpc-check.ts";
import { httpCheck, type ProbeAnswer } from "./http-check.ts";

/** Makes one check. Never rejects. */
export async function runProbe(
  node: NodeContext,
  pod: Pod,
  container: Container,
  id: string,
  podIP: string,
  probe: Probe,
): Promise<ProbeAnswer> {
  const limitMs = (probe.timeoutSeconds ?? 1) * 1000;
  if (node.runtime.check !== undefined) return failedIf(await pretend(node, id, probe, limitMs));
  const { exec, httpGet, tcpSocket, grpc } = probe;
  if (exec !== undefined) return failedIf(await execProbe(node, id, exec.command ?? [], limitMs));
  if (httpGet !== undefined) return httpProbe(node, pod, container, httpGet, limitMs, podIP);
  if (tcpSocket !== undefined) return failedIf(await tcpProbe(node, container, tcpSocket, limitMs, podIP));
  if (grpc !== undefined) {
    const { port, service = "" } = grpc;
    return grpcCheck(node.env.clock, { host: podIP, port, service }, limitMs);
  }
  return { failure: "missing probe handler" };
}

function failedIf(failure: string | undefined): ProbeAnswer {
  return failure === undefined ? {} : { failure };
}

/** Asks a runtime with simulated containers. */
export async function pretend(
  { runtime, env }: NodeContext,
  id: string,
  action: CheckAction,
  limitMs: number,
): Promise<string | undefined> {
  const late = Promise.withResolvers<string>();
  const timer = env.clock.after(limitMs, () =>
    late.resolve("the simulated container did not answer in time"),
  );
  try {
    return await Promise.race([runtime.check?.(id, action), late.promise]);
  } catch (error) {
    return String(error);
  } finally {
    timer.cancel();
  }
}

const maxOutput = 10 * 1024;

export async function execProbe(
  node: NodeContext,
  id: string,
  command: readonly string[],
  limitMs: number,
): Promise<string | undefined> {
  try {
    const session = await node.runtime.exec(id, {
      command,
      stdin: false,
      stdout: true,
      stderr: true,
      tty: false,
    });
    let output = "";
    const collect = (chunk: Buffer) => {
      if (output.length < maxOutput) output += chunk.toString();
    };
    session.stdout?.on("data", collect);
    session.stderr?.on("data", collect);
    const late = Promise.withResolvers<"late">();
    const timer = node.env.clock.after(limitMs, () => late.resolve("late"));
    const ended = await Promise.race([session.exited, late.promise]);
    timer.cancel();
    if (ended === "late") {
      session.close();
      return `command ${JSON.stringify(command.join(" "))} timed out`;
    }
    return ended === 0 ? undefined : output.trim().slice(0, maxOutput) || `command exited with code ${ended}`;
  } catch (error) {
    return String(error);
  }
}

export function httpProbe(
  node: NodeContext,
  pod: Pod,
  container: Container,
  action: HTTPGetAction,
  limitMs: number,
  host: string = pod.status.podIP ?? "",
): Promise<ProbeAnswer> {
  return httpCheck(node.env.clock, action, { host, port: portNumber(container, action.port) }, limitMs);
}

function tcpProbe(
  node: NodeContext,
  container: Container,
  { host = "", port }: TCPSocketAction,
  limitMs: number,
  podIP: string,
): Promise<string | undefined> {
  const address = host || podIP;
  const number = portNumber(container, port);
  return new Promise((resolve) => {
    const socket = connect(number, address);
    const finish = (failure: string | undefined) => {
      timer.cancel();
      socket.destroy();
      resolve(failure);
    };
    const timer = node.env.clock.after(limitMs, () => finish(`dial tcp ${address}:${number}: i/o timeout`));
    socket.once("connect", () => finish(undefined));
    socket.once("error", (error) => finish(`dial tcp ${address}:${number}: ${error.message}`));
  });
}

/** Returns a port by number, or by its name in the container. */
function portNumber(container: Container, port: number | string): number {
  if (typeof port === "number") return port;
  return container.ports?.find(({ name }) => name === port)?.containerPort ?? Number(port);
}
