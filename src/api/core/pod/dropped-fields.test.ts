import { expect, test } from "vitest";
import { statefulSets } from "../../apps/stateful-set/schema.ts";
import { decode } from "../../../meta/decode.ts";
import type { Draft } from "../../../meta/schema.ts";
import { registrationOf } from "../../pipeline.suite.ts";
import { PodSpec } from "./spec.ts";
import { PodStatus } from "./status.ts";
import { dropDisabledFields, dropDisabledStatus } from "./dropped-fields.ts";

const containers = [{ name: "main", image: "nginx" }];
const stop = { containers: [{ ...containers[0], lifecycle: { stopSignal: "SIGUSR1" } }] };
const projected = (source: object) => ({ volumes: [{ name: "v", projected: { sources: [source] } }] });

test.each<[what: string, fields: object]>([
  ["stop signals", stop],
  ["scheduling groups", { schedulingGroup: { podGroupName: "g" } }],
  ["trust bundles", projected({ clusterTrustBundle: { name: "a", path: "p" } })],
  ["certificates", projected({ podCertificate: { signerName: "example.com/a", keyType: "ED25519" } })],
])("%s are dropped unless the stored Pod has them", (_, fields) => {
  const spec = (more: object) => decode(PodSpec, { containers, ...more }) as Draft<PodSpec>;
  const [kept, dropped] = [spec(fields), spec(fields)];
  dropDisabledFields(kept, spec(fields));
  expect(kept).toEqual(spec(fields));
  dropDisabledFields(dropped, spec({}));
  expect(dropped).not.toEqual(spec(fields));
});

test.each<[what: string, fields: object]>([
  ["claims of the node's own resources", { nodeAllocatableResourceClaimStatuses: [{ name: "c" }] }],
  [
    "digests of image volumes",
    {
      initContainerStatuses: [{ volumeMounts: [{ name: "v", volumeStatus: { image: { imageRef: "r" } } }] }],
    },
  ],
])("%s are dropped from a status unless the stored status has them", (_, fields) => {
  const status = (more: object) => decode(PodStatus, more) as Draft<PodStatus>;
  const [kept, dropped] = [status(fields), status(fields)];
  dropDisabledStatus(kept, status(fields));
  expect(kept).toEqual(status(fields));
  dropDisabledStatus(dropped, status({}));
  expect(dropped).not.toEqual(status(fields));
});

test("a StatefulSet keeps a stored maxUnavailable", () => {
  const { strategy } = registrationOf("apps/v1", "StatefulSet");
  const set = (rollingUpdate: object) =>
    decode(statefulSets.schema, { spec: { template: {}, updateStrategy: { rollingUpdate } } });
  const context = { now: 0, user: { name: "someone", groups: [] }, subresource: "" };
  const after = (old: object) => {
    const draft = set({ maxUnavailable: 2, partition: 1 });
    strategy.prepareForUpdate?.(draft as never, set(old) as never, context);
    return draft;
  };
  expect(after({ maxUnavailable: 1 })).toEqual(set({ maxUnavailable: 2, partition: 1 }));
  expect(after({})).toEqual(set({ partition: 1 }));
});
