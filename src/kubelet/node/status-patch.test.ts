import { expect, test } from "vitest";
import { nodes } from "../../api/core/node/schema.ts";
import { decode } from "../../meta/decode.ts";
import { statusPatch } from "./status-patch.ts";

type Status = Parameters<typeof statusPatch>[0];
const aStatus = (status: object): Status => (decode(nodes.schema, { status }) as { status: Status }).status;

test("a patch holds only the differences", () => {
  const ready = { type: "Ready", status: "True" };
  const present = aStatus({
    capacity: { cpu: "2", memory: "1Gi" },
    allocatable: { cpu: "2", "example.com/gone": "1" },
    conditions: [{ type: "Foreign", status: "True" }, ready],
    addresses: [{ type: "InternalIP", address: "192.0.2.1" }],
  });
  const wanted = aStatus({
    capacity: { cpu: "4", memory: "1Gi" },
    allocatable: { cpu: "4" },
    conditions: [
      { type: "Foreign", status: "True" },
      { ...ready, reason: "KubeletReady" },
    ],
    addresses: [
      { type: "InternalIP", address: "192.0.2.1" },
      { type: "InternalIP", address: "192.0.2.2" },
    ],
  });
  expect(statusPatch(present, wanted)).toEqual({
    status: {
      capacity: { cpu: "4" },
      allocatable: { cpu: "4", "example.com/gone": null },
      conditions: [expect.objectContaining({ type: "Ready", reason: "KubeletReady" })],
      addresses: [...(wanted.addresses ?? []), { $patch: "replace" }],
    },
  });
  expect(statusPatch(wanted, wanted)).toEqual({ status: {} });
});
