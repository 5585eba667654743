import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bootstrap } from "../../src/cluster/bootstrap.ts";
import type { AccessRequest } from "../../src/apiserver/authz/authorizer.ts";
import { type Bed, startBedUntil } from "../../src/apiserver/server.suite.ts";
import { Client } from "../../src/client/client.ts";
import { InProcessTransport } from "../../src/client/in-process.ts";

/** The recorded answers; the member `about` describes them. */
interface Fixture {
  readonly setup: readonly { readonly path: string; readonly body: object }[];
  readonly identities: readonly { readonly user: string; readonly groups: readonly string[] }[];
  readonly namespaces: readonly string[];
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly verbs: readonly string[];
  /** Verbs that are asked about whole resources only. */
  readonly otherVerbs: readonly string[];
  readonly resources: readonly { readonly resource: string; readonly namespaced: boolean }[];
  readonly paths: readonly string[];
  readonly pathVerbs: readonly string[];
  readonly allowed: Readonly<Record<string, Allowed>>;
}

interface Allowed {
  /** The allowed verbs, by path. */
  readonly paths: Readonly<Record<string, string>>;
  /** The resources, by what is allowed on them, such as `get,list ns-a:*; create *`. */
  readonly resources: Readonly<Record<string, readonly string[]>>;
}

const file = new URL("../fixtures/permissions/answers.json", import.meta.url);
const fixture = JSON.parse(readFileSync(file, "utf8")) as Fixture;
const ofCollections = new Set(["list", "watch", "create", "deletecollection"]);

let bed: Bed;
let ended: Promise<void>;
const stop = new AbortController();

beforeAll(async () => {
  ({ bed, ended } = await startBedUntil(stop.signal));
  const user = { name: "setup", groups: ["system:masters"] };
  const client = new Client(new InProcessTransport(bed.server.handle, user), { fieldManager: "setup" });
  const wellKnown = { apiServer: undefined, dns: undefined, serviceCIDR: "10.96.0.0/24" };
  await bootstrap(client, wellKnown, { clientCa: "the authority", now: bed.clock.now() });
  for (const { path, body } of fixture.setup) await bed.make(path, body);
  await bed.clock.settle();
});
afterAll(async () => {
  stop.abort();
  await ended;
});

interface Question {
  readonly text: string;
  readonly verb: string;
  readonly target: AccessRequest["target"];
}

function* questions(): Generator<Question> {
  for (const { resource: key, namespaced } of fixture.resources) {
    const [group = "", version = "", ...rest] = key.split("/");
    const [resource = "", subresource = ""] = rest;
    const namespaces = namespaced ? fixture.namespaces : [""];
    for (const verb of [...fixture.verbs, ...(subresource === "" ? fixture.otherVerbs : [])]) {
      const names = ofCollections.has(verb) ? [""] : (fixture.names[resource] ?? ["x"]);
      for (const namespace of namespaces) {
        for (const name of names) {
          const target = {
            type: "resource",
            group,
            version,
            namespace,
            resource,
            subresource,
            name,
          } as const;
          yield { text: `${verb} ${key} ${namespace}:${name}`, verb, target };
        }
      }
    }
  }
  for (const path of fixture.paths) {
    for (const verb of fixture.pathVerbs)
      yield { text: `${verb} ${path}`, verb, target: { type: "path", path } };
  }
}

/** Returns upstream's decision for a question: whether the question's text is among what is allowed. */
function upstream({ paths, resources }: Allowed): (question: Question) => boolean {
  const texts = new Set(
    Object.entries(paths).flatMap(([path, verbs]) => verbs.split(" ").map((verb) => `${verb} ${path}`)),
  );
  for (const [granted, keys] of Object.entries(resources)) {
    for (const part of granted.split("; ")) {
      const [verbs = "", ...places] = part.split(" ");
      for (const verb of verbs.split(","))
        for (const key of keys) for (const place of places) texts.add(`${verb} ${key} ${place}`);
    }
  }
  return ({ text, target }) => {
    if (target.type === "path") return texts.has(text);
    const start = text.slice(0, text.lastIndexOf(" "));
    const everywhere = `${start} *`;
    return texts.has(text) || texts.has(`${start} ${target.namespace}:*`) || texts.has(everywhere);
  };
}

const all = [...questions()];

test("43,512 questions are asked", () => {
  expect(all.length * fixture.identities.length).toBe(43_512);
});

test.each(fixture.identities)("$user may do what upstream allows, and nothing else", ({ user, groups }) => {
  const { authorizer } = bed.server.services;
  const expected = upstream(fixture.allowed[user] ?? { paths: {}, resources: {} });
  const differing = all.flatMap((question) => {
    const { verb, target, text } = question;
    const { allowed } = authorizer.authorize({ user: { name: user, groups }, verb, target });
    return allowed === expected(question) ? [] : [`${allowed ? "allowed" : "denied"}: ${text}`];
  });
  expect(differing).toEqual([]);
});
