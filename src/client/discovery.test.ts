import { expect, test } from "vitest";
import type { Handler } from "../meta/exchange.ts";
import { errors } from "../meta/status.ts";
import { Client } from "./client.ts";
import { InProcessTransport } from "./in-process.ts";

function clientOf(answers: Readonly<Record<string, object>>): Client {
  const handler: Handler = ({ path }) => {
    const value = answers[path];
    if (value === undefined) return Promise.reject(errors.unavailable("away"));
    return Promise.resolve({ status: 200, headers: {}, body: { type: "object", value } });
  };
  return new Client(new InProcessTransport(handler, { name: "test", groups: [] }));
}

const verbs = ["get", "list"];

test("discovery reads the aggregated form, and prefers the version that comes first", async () => {
  const resource = (name: string, kind: string) => ({
    resource: name,
    responseKind: { kind },
    scope: "Namespaced",
    verbs,
  });
  const list = (...items: object[]) => ({ kind: "APIGroupDiscoveryList", items });
  const discovery = await clientOf({
    "/api": list({
      versions: [
        {
          version: "v1",
          resources: [{ ...resource("pods", "Pod"), subresources: [{ subresource: "log" }] }],
        },
      ],
    }),
    "/apis": list(
      {
        metadata: { name: "apps" },
        versions: [
          { version: "v2", resources: [resource("things", "Thing")] },
          { version: "v1", resources: [resource("things", "Thing")] },
        ],
      },
      { metadata: { name: "gone.io" }, versions: [{ version: "v1", freshness: "Stale" }] },
    ),
  }).discovery();
  expect(discovery.preferred().map(({ group, version, plural }) => `${group}/${version}/${plural}`)).toEqual([
    "/v1/pods",
    "apps/v2/things",
  ]);
  expect(discovery.find("apps/v1", "Thing")).toMatchObject({ version: "v1", namespaced: true });
  expect(discovery.find("v1", "Pod")?.subresources).toEqual(["log"]);
  expect(discovery.failed).toEqual(["gone.io/v1"]);
});

test("discovery asks older servers group by group, and continues when one group is unavailable", async () => {
  const one = (name: string, kind: string) => ({ name, kind, namespaced: true, verbs });
  const discovery = await clientOf({
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/api/v1": {
      kind: "APIResourceList",
      groupVersion: "v1",
      resources: [one("pods", "Pod"), one("pods/log", "Pod")],
    },
    "/apis": {
      kind: "APIGroupList",
      groups: [{ versions: [{ groupVersion: "apps/v1" }] }, { versions: [{ groupVersion: "away.io/v1" }] }],
    },
    "/apis/apps/v1": {
      kind: "APIResourceList",
      groupVersion: "apps/v1",
      resources: [one("deployments", "Deployment")],
    },
  }).discovery();
  expect(
    discovery.resources.map(({ group, version, plural, subresources }) => [
      group,
      version,
      plural,
      subresources,
    ]),
  ).toEqual([
    ["", "v1", "pods", ["log"]],
    ["apps", "v1", "deployments", []],
  ]);
  expect(discovery.failed).toEqual(["away.io/v1"]);
});
