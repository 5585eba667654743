import { expect, test } from "vitest";
import { configMaps } from "../../api/core/config-map/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { secrets } from "../../api/core/secret/schema.ts";
import { serviceAccounts } from "../../api/core/service-account/schema.ts";
import { template } from "../builders.suite.ts";
import { startTestbed } from "../testbed.suite.ts";
import { legacyTokenCleaner } from "./controller.ts";

const dayMs = 24 * 3_600_000;

test("a generated token that nobody uses for two days is invalidated, and deleted two days later", async () => {
  const bed = await startTestbed(() => [legacyTokenCleaner(2 * dayMs)]);
  const { client, clock } = bed;
  await client.of(configMaps, "kube-system").create({
    metadata: { name: "kube-apiserver-legacy-service-account-token-tracking" },
    data: { since: "2026-01-01" },
  });
  const own = client.of(secrets, "default");
  const annotations = { "kubernetes.io/service-account.name": "default" };
  for (const name of ["generated", "mounted", "manual"]) {
    await own.create({ metadata: { name, annotations }, type: "kubernetes.io/service-account-token" });
  }
  const references = [{ name: "generated" }, { name: "mounted" }];
  await client.of(serviceAccounts, "default").patch("default", { secrets: references }, { type: "merge" });
  const volumes = [{ name: "token", secret: { secretName: "mounted" } }];
  await client.of(pods, "default").create({ metadata: { name: "web" }, spec: { ...template.spec, volumes } });
  const invalid = async () =>
    (await own.list()).items.map(({ metadata: { name, labels } }) => [
      name,
      labels?.["kubernetes.io/legacy-token-invalid-since"],
    ]);
  const unlabelled = ["generated", "manual", "mounted"].map((name) => [name, undefined]);
  await clock.advance(3 * dayMs - 60_000);
  expect(await invalid()).toEqual(unlabelled);
  // Recording began during the first day, so that the period ends two days after that day.
  await clock.advance(120_000);
  expect(await invalid()).toEqual([["generated", "2026-01-04"], ...unlabelled.slice(1)]);
  await clock.advance(3 * dayMs);
  expect(await invalid()).toEqual(unlabelled.slice(1));
  // The first sweep was before the ConfigMap.
  expect(bed.complaints.length).toBe(1);
});
