import type { Readable } from "node:stream";
import type { ContainerAddress, LogOptions, NodeEndpoint, NodeStats } from "../../meta/node-endpoint.ts";
import { errors, failure, StatusError } from "../../meta/status.ts";
import { networkError } from "../../util/network-error.ts";
import { dialPort } from "./forward.ts";
import { joinHostPort } from "./location.ts";
import { logPath, sessionPath } from "./queries.ts";
import { logRefusal, readBytes, readError } from "./refusal.ts";
import { startSession } from "./session.ts";
import type { Kubelet } from "./spdy.ts";
import { parseSummary, summaryPath } from "./summary.ts";

/** The greatest size of a summary. A Pod takes about a kilobyte. */
const maxSummaryBytes = 4 << 20;
const summaryTimeoutMs = 10_000;

/** Serves a node whose kubelet is in another process, over HTTPS. Every method throws StatusError. */
export function remoteNode(kubelet: Kubelet): NodeEndpoint {
  return {
    logs: (address, options) => logs(kubelet, address, options),
    exec: (address, options) =>
      startSession(kubelet, sessionPath("exec", address, options, options.command), options),
    attach: (address, options) => startSession(kubelet, sessionPath("attach", address, options), options),
    dial: (pod, port) => dialPort(kubelet, pod, port),
    stats: () => stats(kubelet),
  };
}

/** A kubelet sends its headers with the log's first line: an empty log that is followed has no time limit. */
async function logs(
  { client, location }: Kubelet,
  address: ContainerAddress,
  options: LogOptions,
): Promise<Readable> {
  const path = logPath(address, options);
  const fail = (why: string, cause?: unknown) =>
    failure(500, "", `Get "https://${joinHostPort(location)}${path}": ${why}`, undefined, cause);
  const response = await client
    .stream({ location, method: "GET", path, signal: options.signal })
    .catch((error: unknown) => {
      throw fail(networkError(error), error);
    });
  const code = response.statusCode ?? 0;
  if (code >= 200 && code <= 206) return response;
  const text = await readError(response);
  if (code >= 300 && code < 400) throw fail("redirects forbidden");
  throw logRefusal(code, text, address.name);
}

async function stats({ client, clock, location }: Kubelet): Promise<NodeStats> {
  const overdue = new AbortController();
  const timer = clock.after(summaryTimeoutMs, () => overdue.abort());
  try {
    const { signal } = overdue;
    const response = await client.send({ location, method: "GET", path: summaryPath, signal });
    const code = response.statusCode ?? 0;
    const bytes = await readBytes(response, maxSummaryBytes);
    if (code !== 200) throw errors.internal(`request failed, status: ${code}`);
    if (bytes.length >= maxSummaryBytes) throw errors.internal("the kubelet's summary is too large");
    return parseSummary(JSON.parse(bytes.toString()));
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw errors.unavailable(`error trying to reach service: ${networkError(error)}`);
  } finally {
    timer.cancel();
  }
}
