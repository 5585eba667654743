import type { ApiRequest } from "../../meta/exchange.ts";
import { StatusError } from "../../meta/status.ts";
import { parseLogOptions } from "../../streams/log-options.ts";
import { type Answer, text } from "./answer.ts";
import type { KubeletHost } from "./host.ts";
import { addressOf } from "./sessions.ts";

/** Answers with a container's log (kubelet `getContainerLogs`). */
export async function containerLogs(
  host: KubeletHost,
  { query, signal }: ApiRequest,
  [namespace = "", name = "", container = ""]: readonly string[],
): Promise<Answer> {
  let options: ReturnType<typeof parseLogOptions>;
  try {
    options = parseLogOptions(withTail(query), name, host.env.clock.now());
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.status.code === 422
      ? text(422, '{"message": "Invalid request."}')
      : text(400, '{"message": "Unable to decode query."}');
  }
  const pod = host.pod(namespace, name);
  if (pod === undefined) return text(404, `pod ${JSON.stringify(name)} does not exist`);
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  if (![...containers, ...initContainers, ...ephemeralContainers].some((one) => one.name === container))
    return text(404, `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(name)}`);
  try {
    const stream = await host.endpoint.logs(addressOf(pod, container), { ...options, signal });
    return { status: 200, headers: {}, body: { type: "stream", contentType: "text/plain", stream } };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return text(400, error.message);
  }
}

/** Translates `tail`, an old name of `tailLines`. */
function withTail(query: URLSearchParams): URLSearchParams {
  const tail = query.get("tail") ?? "";
  if (tail === "") return query;
  const copy = new URLSearchParams(query);
  copy.delete("tailLines");
  if (tail !== "all") copy.set("tailLines", tail);
  return copy;
}
