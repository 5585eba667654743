import { readdirSync, readFileSync } from "node:fs";
import { registrations } from "../../../src/api/registrations.ts";
import type { Kind } from "../../../src/meta/kind.ts";

/** A kind with a valid object, and the path of its collection. */
export interface Sample {
  readonly kind: Kind;
  readonly object: object;
  readonly collection: string;
}

const folder = new URL("../../fixtures/strategies/", import.meta.url);

/** Returns an object of each kind that can be created, from those that strategies are compared with upstream's for. */
export function samples(): readonly Sample[] {
  const known = new Map<string, object>();
  for (const file of readdirSync(folder)) {
    for (const line of readFileSync(new URL(file, folder), "utf8").trim().split("\n")) {
      const { of, now, given } = JSON.parse(line) as { of?: string; now?: string; given?: object };
      if (of !== undefined && now !== undefined && given !== undefined && !known.has(of))
        known.set(of, given);
    }
  }
  return registrations
    .map(({ kind }) => kind)
    .filter(({ verbs }) => verbs.includes("create"))
    .map((kind) => {
      const { apiVersion, kind: name, namespaced, plural, group } = kind;
      const found = known.get(`${apiVersion} ${name}`) ?? { metadata: { name: "sample" } };
      const base = group === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
      const collection = `${base}${namespaced ? "/namespaces/default" : ""}/${plural}`;
      return { kind, collection, object: { ...found, apiVersion, kind: name } };
    });
}
