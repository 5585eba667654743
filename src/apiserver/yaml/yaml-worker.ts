import { parentPort } from "node:worker_threads";
import { parseExactly, toJson } from "../../meta/json.ts";
import { formatYaml, parseYamlDocument } from "../../meta/yaml.ts";
import type { Job, JobAnswer } from "./jobs.ts";
import { errorText } from "../../util/error-text.ts";

function answer(job: Job): JobAnswer {
  if (job.type === "format") {
    const value = parseExactly(Buffer.concat(job.json).toString("utf8"));
    return { type: "formatted", bytes: Buffer.from(formatYaml(value)) };
  }
  try {
    const duplicates: string[] = [];
    const value = parseYamlDocument(job.text, { duplicates, exact: job.exact });
    return { type: "parsed", json: toJson(value), duplicates };
  } catch (error) {
    return { type: "failed", message: errorText(error) };
  }
}

parentPort?.on("message", (job: Job) => {
  parentPort?.postMessage(answer(job), []);
});
