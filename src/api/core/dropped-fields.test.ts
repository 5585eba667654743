import { expect, test } from "vitest";
import { create } from "../pipeline.suite.ts";
import type { PersistentVolumeClaim } from "./persistent-volume-claim/schema.ts";

/** Upstream drops these fields without an error. */
const claim = { name: "data", kind: "PersistentVolumeClaim" };
const snapshot = { name: "data", kind: "VolumeSnapshot", apiGroup: "snapshot.storage.k8s.io" };
const other = { name: "data", kind: "Bucket", apiGroup: "example.com" };

test.each<[given: object, dataSource: object | undefined, dataSourceRef?: object | undefined]>([
  [{ dataSource: claim }, claim, claim],
  [{ dataSource: snapshot }, snapshot, snapshot],
  [{ dataSource: other }, undefined, undefined],
  [{ dataSource: {} }, undefined, undefined],
  [{ dataSourceRef: other }, other, other],
  [{ dataSourceRef: { ...snapshot, namespace: "elsewhere" } }, undefined, undefined],
])("a claim's data source is kept only if it is supported: %j", (given, dataSource, dataSourceRef) => {
  const { object, errors } = create({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "copy", namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...given },
  });
  const { spec } = object as unknown as PersistentVolumeClaim;
  expect([spec.dataSource, spec.dataSourceRef, errors]).toEqual([dataSource, dataSourceRef, []]);
});

test("a node's configSource is dropped", () => {
  const metadata = { name: "node-1" };
  const { object } = create({ apiVersion: "v1", kind: "Node", metadata, spec: { configSource: {} } });
  expect(object).toMatchObject({ spec: expect.not.objectContaining({ configSource: {} }) });
});
