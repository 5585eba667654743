import { expect, it } from "vitest";
import { registrations } from "../api/registrations.ts";
import { warnOfKindsNotActedOn } from "../apiserver/admission/not-acted-on.ts";
import { inDefault, startBed } from "../apiserver/server.suite.ts";
import { groupResource } from "../meta/kind.ts";
import { kindsNotActedOn } from "./kinds-not-acted-on.ts";

it("every kind that is not acted on is served", () => {
  const served = new Set(registrations.map(({ kind }) => groupResource(kind)));
  expect([...kindsNotActedOn.keys()].filter((name) => !served.has(name))).toEqual([]);
});

it("creating an object that nothing acts on warns, and reading or updating it does not", async () => {
  const bed = await startBed({ admission: [warnOfKindsNotActedOn(kindsNotActedOn)] });
  const policies = inDefault("networkpolicies", "networking.k8s.io/v1");
  const created = await bed.post(policies, { metadata: { name: "small" }, spec: { podSelector: {} } });
  expect(created.warnings).toEqual([
    '299 - "NetworkPolicy is stored, but this version of Knarr does not enforce it for simulated containers"',
  ]);
  expect((await bed.get(`${policies}/small`)).warnings).toEqual([]);
  expect((await bed.put(`${policies}/small`, created.body)).warnings).toEqual([]);
});

it("creating an object that is acted on does not warn", async () => {
  const bed = await startBed({ admission: [warnOfKindsNotActedOn(kindsNotActedOn)] });
  const { warnings } = await bed.post(inDefault("configmaps"), { metadata: { name: "plain" } });
  expect(warnings).toEqual([]);
});
