import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseExactly } from "../../src/meta/json.ts";
import { type Bed, type Json, startBed } from "../../src/apiserver/server.suite.ts";
import { conversionWebhook } from "./conversion-webhook.ts";

/** Requests with upstream's answers: see fixtures/custom-resources/README.md. */
interface Step {
  /** `POST /apis/…` */
  readonly do: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Upstream's answer; absent when Knarr differs on purpose, or another line covers it. */
  readonly gives?: { readonly status: number; readonly warning?: string; readonly body: unknown };
}

const folder = new URL("../fixtures/custom-resources/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

test.each(files)("%s: custom resources answer as upstream's", async (file) => {
  const bed = await startBed({ sendHttps: conversionWebhook });
  const lines = readFileSync(new URL(file, folder), "utf8").trim().split("\n");
  for (const line of lines) {
    const step = parseExactly(line) as Step;
    const answer = await send(bed, step);
    // Time passes as between the recorded requests, because field managers are sorted by time.
    await bed.clock.advance(1000);
    if (step.gives !== undefined)
      expect(answer, `${step.do} ${JSON.stringify(step.body)}`).toEqual(step.gives);
  }
});

async function send(bed: Bed, step: Step): Promise<NonNullable<Step["gives"]>> {
  const [method = "", url = ""] = step.do.split(" ");
  const kind = Array.isArray(step.body) ? "json-patch" : "merge-patch";
  const type = method === "PATCH" ? `application/${kind}+json` : "application/json";
  const headers = { "user-agent": "node", "content-type": type, ...step.headers };
  const { status, warnings, body } = await bed.call(method, url, step.body, { headers });
  const warning = warnings.toSorted().join(", ");
  return { status, ...(warning === "" ? {} : { warning }), body: masked(body) };
}

/** Removes what differs from run to run and what has no meaning. */
function masked(body: Json): unknown {
  const value = mask(body, "") as Json;
  if (value?.kind === "Table") return maskedTable(value);
  if (value?.kind !== "Status") return value;
  const { message = "", details } = value;
  // Upstream checks fields in no particular order.
  const order = ({ field, message }: Json) => `${field}${message}`;
  details?.causes?.sort((a: Json, b: Json) => (order(a) < order(b) ? -1 : 1));
  const [, head, list] = /^(.*is invalid: \[)(.*)\]$/s.exec(message as string) ?? [];
  if (list !== undefined) value.message = `${head}${list.split(", ").sort().join(", ")}]`;
  if (value.status === "Success") delete value.code;
  return value;
}

function maskedTable(table: Json): Json {
  // Descriptions of the fields that all objects have use other words.
  for (const column of table.columnDefinitions ?? []) {
    if (!column.description.startsWith("Custom")) column.description = "TEXT";
  }
  const isAge = (cell: Json) => typeof cell === "string" && /^(?:\d+[smhdy])+$/.test(cell);
  for (const row of table.rows) row.cells = row.cells.map((cell: Json) => (isAge(cell) ? "AGE" : cell));
  return table;
}

const times = new Set(["creationTimestamp", "time", "lastTransitionTime", "deletionTimestamp"]);
const uid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

function mask(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((one) => mask(one, key));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mask(inner, name)]));
  }
  if (typeof value !== "string") return value;
  if (key === "uid") return "UID";
  if (key === "resourceVersion") return "RV";
  if (times.has(key)) return "TIME";
  return value
    .replaceAll(/selfType\d+/g, "selfType")
    .replaceAll(uid, "UID")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME");
}
