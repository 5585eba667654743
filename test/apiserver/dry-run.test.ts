import { expect, test } from "vitest";
import { conversionWebhook } from "./conversion-webhook.ts";
import { crons, define, specOf, version } from "../../src/apiserver/crd/definitions.suite.ts";
import { type Bed, inDefault, type Json, startBed } from "../../src/apiserver/server.suite.ts";

/** Removes what differs between two equal writes. */
function lasting({ metadata, ...object }: Json): Json {
  const { uid: _, resourceVersion: __, creationTimestamp: ___, ...kept } = metadata;
  return { ...object, metadata: kept };
}

/** Does a write twice, first as a dry run. */
async function twice(bed: Bed, method: string, url: string, body: unknown): Promise<[Json, Json]> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const headers = { headers: { "content-type": type } };
  const dry = await bed.call(method, `${url}?dryRun=All`, body, headers);
  const real = await bed.call(method, url, body, headers);
  expect(dry.status).toBe(real.status);
  return [lasting(dry.body), lasting(real.body)];
}

const autoscalers = (name = "", apiVersion = "v1") =>
  `/apis/autoscaling/${apiVersion}/namespaces/default/horizontalpodautoscalers${name && `/${name}`}`;

const autoscaler = {
  metadata: { name: "a" },
  spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "web", apiVersion: "apps/v1" } },
};

test("a dry run in an older version returns the same as the write, with the fields that the stored version adds", async () => {
  const bed = await startBed();
  const [dry, real] = await twice(bed, "POST", autoscalers(), autoscaler);
  expect(dry).toEqual(real);
  const patched = await twice(bed, "PATCH", autoscalers("a"), { spec: { maxReplicas: 5 } });
  expect(patched[0]).toEqual(patched[1]);
  expect(patched[0].spec.maxReplicas).toBe(5);
});

test("a dry run of a custom resource is converted by the webhook both ways, as the write is", async () => {
  const asked: string[] = [];
  const bed = await startBed({
    sendHttps: (request) => {
      asked.push(JSON.parse(request.body).request.desiredAPIVersion);
      return conversionWebhook(request);
    },
  });
  const text = { type: "string" };
  await define(bed, {
    versions: [
      version("v1", { schema: specOf({ hostPort: text }), storage: true }),
      version("v2", { schema: specOf({ host: text, port: text, only: { ...text, default: "v2" } }) }),
    ],
    conversion: {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { url: "https://example.com/ok", caBundle: "" },
      },
    },
  });
  const hook = {
    apiVersion: "example.com/v2",
    kind: "Cron",
    metadata: { name: "a" },
    spec: { host: "h", port: "1", only: "mine" },
  };
  const before = bed.revision;
  const dry = await bed.post(`${crons("", "v2")}?dryRun=All`, hook);
  expect(asked).toEqual(["example.com/v1", "example.com/v2"]);
  expect(bed.revision).toBe(before);
  const real = await bed.post(crons("", "v2"), hook);
  expect(dry.status).toBe(201);
  expect(lasting(dry.body)).toEqual(lasting(real.body));
  // Fields that the stored version does not have are dropped.
  expect(dry.body.spec).not.toHaveProperty("only", "mine");
  const [one, other] = await twice(bed, "PATCH", crons("a", "v2"), { spec: { port: "2" } });
  expect(one).toEqual(other);
  expect(one.spec.port).toBe("2");
});

test("a dry deletion that only sets the deletion timestamp returns the same as the deletion", async () => {
  const bed = await startBed();
  await bed.make(inDefault("configmaps"), { metadata: { name: "a", finalizers: ["example.com/x"] } });
  const [dry, real] = await twice(bed, "DELETE", `${inDefault("configmaps")}/a`, undefined);
  expect(dry).toEqual(real);
});

test("a dry run that changes nothing returns the object unchanged", async () => {
  const bed = await startBed();
  const made = await bed.make(inDefault("configmaps"), { metadata: { name: "a" }, data: { k: "v" } });
  await bed.clock.advance(5000);
  const { body } = await bed.put(`${inDefault("configmaps")}/a?dryRun=All`, made);
  expect(body).toEqual(made);
});
