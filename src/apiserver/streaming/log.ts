import { Readable } from "node:stream";
import type { ApiResponse } from "../../meta/exchange.ts";
import type { Context } from "../context.ts";
import type { Target } from "../resources/target.ts";
import { parseLogOptions } from "../../streams/log-options.ts";
import { containerAddress, nodeOf, readPod } from "./pod-address.ts";

/** Answers `pods/log` with the container's log on its node. */
export async function readLog(context: Context, { namespace, name }: Target): Promise<ApiResponse> {
  const { query, signal } = context.request;
  const options = parseLogOptions(query, name, context.services.env.clock.now());
  const pod = readPod(context, namespace, name);
  const address = containerAddress(pod, query.get("container") ?? "");
  const unassigned = (pod.spec.nodeName ?? "") === "";
  // A Pod without a node has an empty log, unlike one whose container has not started.
  const stream = unassigned
    ? Readable.from([])
    : await nodeOf(context, pod).logs(address, { ...options, signal });
  return { status: 200, headers: {}, body: { type: "stream", contentType: "text/plain", stream } };
}
