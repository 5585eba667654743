import type { ListBody } from "../../meta/exchange.ts";
import { toJson } from "../../meta/json.ts";
import { errors } from "../../meta/status.ts";
import { runJob, YamlThreadError } from "./thread.ts";

/** Bytes of JSON: the library writes this much in some milliseconds. */
const mostHere = 8 * 1024;

/** Returns the answer's bytes as YAML; a long answer is written in a separate thread. */
export async function inYaml(
  body: ListBody | { readonly type: "object"; readonly value: object; readonly encoded?: Uint8Array },
): Promise<Uint8Array> {
  const json = jsonOf(body);
  if (json.reduce((sum, { length }) => sum + length, 0) <= mostHere) {
    // The library is large, and is loaded at the first request for YAML.
    const { formatYaml } = await import("../../meta/yaml.ts");
    return Buffer.from(formatYaml(body.type === "list" ? body.value() : body.value));
  }
  try {
    const answer = await runJob({ type: "format", json });
    if (answer.type === "formatted") return answer.bytes;
    throw new TypeError("the YAML thread answered another question");
  } catch (error) {
    if (error instanceof YamlThreadError) throw errors.timeout(`writing YAML: ${error.message}`);
    throw error;
  }
}

function jsonOf(body: Parameters<typeof inYaml>[0]): readonly Uint8Array[] {
  if (body.type === "list" && body.contentType === undefined) return [...body.chunks()];
  const { encoded } = body.type === "list" ? {} : body;
  return [encoded ?? Buffer.from(toJson(body.type === "list" ? body.value() : body.value))];
}
