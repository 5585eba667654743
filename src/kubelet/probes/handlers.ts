import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import type { Container } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { HTTPGetAction, Probe, TCPSocketAction } from "../../api/core/pod/probe.ts";
import { http } from "../../util/node-http.ts";
import type { NodeContext } from "../node-context.ts";
import type { CheckAction } from "../runtime.ts";

/** Makes one check. Resolves to the reason of its failure, or undefined when it succeeded. Never rejects. */
export async function runProbe(
  node: NodeContext,
  pod: Pod,
  container: Container,
  id: string,
  podIP: string,
  probe: Probe,
): Promise<string | undefined> {
  const limitMs = (probe.timeoutSeconds ?? 1) * 1000;
  if (node.runtime.check !== undefined) return pretend(node, id, probe, limitMs);
  if (probe.exec !== undefined) return execProbe(node, id, probe.exec.command ?? [], limitMs);
  if (probe.httpGet !== undefined) return httpProbe(node, pod, container, probe.httpGet, limitMs, podIP);
  if (probe.tcpSocket !== undefined) return tcpProbe(node, container, probe.tcpSocket, limitMs, podIP);
  return "the probe's handler is not supported on this node";
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
  podIP: string = pod.status.podIP ?? "",
): Promise<string | undefined> {
  const { scheme = "HTTP", path = "/", host = "", httpHeaders = [] } = action;
  const port = portNumber(container, action.port);
  const headers: Record<string, string> = { "user-agent": "kube-probe/1.36", accept: "*/*" };
  for (const { name, value } of httpHeaders) headers[name.toLowerCase()] = value;
  const send = scheme === "HTTPS" ? httpsRequest : http.request;
  const url = `${scheme.toLowerCase()}://${host || podIP}:${port}${path.startsWith("/") ? path : `/${path}`}`;
  return new Promise((resolve) => {
    // The certificate is not verified: the probe tests only whether the workload answers.
    const request = send(url, { headers, rejectUnauthorized: false, agent: false }, (response) => {
      const { statusCode = 0 } = response;
      response.destroy();
      finish(
        statusCode >= 200 && statusCode < 400
          ? undefined
          : `HTTP probe failed with statuscode: ${statusCode}`,
      );
    });
    const timer = node.env.clock.after(limitMs, () => {
      finish(`Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`);
      request.destroy();
    });
    const finish = (failure: string | undefined) => {
      timer.cancel();
      resolve(failure);
    };
    request.on("error", (error) => finish(`Get "${url}": ${error.message}`));
    request.end();
  });
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
