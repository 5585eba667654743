import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { deployments } from "../../src/api/apps/deployment/schema.ts";
import { configMaps } from "../../src/api/core/config-map/schema.ts";
import { pods } from "../../src/api/core/pod/schema.ts";
import { services } from "../../src/api/core/service/schema.ts";
import { roles } from "../../src/api/rbac/role/schema.ts";
import { applyConfiguration } from "../../src/meta/apply/apply-configuration.ts";

/** Configurations with the messages of upstream's type converter (client-go 0.36). */
interface Case {
  readonly object: { readonly kind: string };
  readonly error: string;
}

const cases = readFileSync(new URL("../fixtures/apply-types.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);
const kinds = new Map([deployments, configMaps, pods, services, roles].map((kind) => [kind.kind, kind]));
const options = { manager: "m", subresource: "", force: false, now: 0 };

/** Sorts a message's lines, because Go iterates maps in random order. */
const lines = (message: string) => message.split("\n").toSorted();

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new TypeError("the configuration was accepted");
}

test.each(cases)("$error", ({ object, error }) => {
  const kind = kinds.get(object.kind);
  if (kind === undefined) throw new TypeError(`no kind ${object.kind}`);
  expect(lines(messageOf(() => applyConfiguration(kind, undefined, object, options)))).toEqual(lines(error));
});
