import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { registrations } from "../../../src/api/registrations.ts";
import { plansOf } from "../../../src/apiserver/openapi/documents.ts";
import { ServedResource } from "../../../src/apiserver/resources/served.ts";
import { definitionFacts, differences, type Facts, pathFacts } from "./facts.ts";

/** The content of the documents of kube-apiserver v1.36.3, with the documents that each part is in. */
interface Line {
  readonly definition?: string;
  readonly path?: string;
  readonly documents: readonly string[];
  readonly facts: Facts;
}

const fixture = join(import.meta.dirname, "../../fixtures/openapi/upstream.jsonl");

/** Returns upstream's definitions and paths, by document and name. */
function upstream(): Map<string, Facts> {
  const lines = readFileSync(fixture, "utf8").trimEnd().split("\n");
  return new Map(
    lines
      .map((line) => JSON.parse(line) as Line)
      .flatMap(({ documents, definition, path = definition, facts }) =>
        documents.map((document): [string, Facts] => [`${document} ${path ?? ""}`, facts]),
      ),
  );
}

type Part = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function ours(): Map<string, Facts> {
  const plans = plansOf(registrations.map((registration) => new ServedResource(registration)));
  const all = new Map<string, Facts>();
  for (const [place, { build }] of plans) {
    const document = JSON.parse(JSON.stringify(build())) as Record<string, Part>;
    const definitions = document["components"]?.["schemas"] as Part;
    for (const [name, schema] of Object.entries(definitions))
      all.set(`${place} ${name}`, definitionFacts(schema));
    for (const [path, operations] of Object.entries(document["paths"] ?? {})) {
      all.set(`${place} ${path}`, pathFacts(operations));
    }
  }
  return all;
}

/** Accepted differences, each with its reason. A line reads `document name place aspect: ours, upstream's`. */
const accepted: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/ default: .+, (none|0|"")$/, "upstream sets these defaults in code and does not publish them"],
  [
    / default: none, (0|"")$/,
    "a default equal to Go's zero value changes nothing, and is omitted when absent",
  ],
  [/ServiceSpec .ipFamilies\[\] enum: /, "upstream lists the empty string and refuses it"],
  [/ x-kubernetes-unions: none, /, "upstream has no code that reads it"],
  [/ x-kubernetes-map-type: none, "granular"$/, "maps are granular by default"],
  [/(ListMeta .shardInfo|v1.ShardInfo) /, "sharded lists are alpha, and not served"],
  [/ parameter shardSelector\?string: none, true$/, "sharded lists are alpha, and not served"],
  [/caBundle x-kubernetes-list-type: none, /, "bytes are no list"],
  [/APIResource .verbs x-kubernetes-list-type: "atomic", none$/, "no client merges it"],
  [
    /pods\/\{name\}\/log  parameter sinceTime\?string: true, none$/,
    "upstream accepts it too, but cannot describe times in a query",
  ],
  [/namespaces\/\{name\} delete 20[02]: /, "the answer is the namespace, which exists until it is empty"],
];

test("definitions and paths are equal to upstream's, except for differences with a reason", () => {
  const lines = differences(ours(), upstream());
  expect(lines.filter((line) => !accepted.some(([pattern]) => pattern.test(line)))).toEqual([]);
  const stale = accepted.filter(([pattern]) => !lines.some((line) => pattern.test(line)));
  expect(stale).toEqual([]);
});
