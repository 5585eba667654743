import { expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { nodeContext } from "../node-context.suite.ts";
import { aPod, openAllocations } from "./builders.suite.ts";
import { PodAdmission } from "./pod-admission.ts";
import { sysctlRefusal } from "./sysctls.ts";

function open() {
  const { allocations } = openAllocations();
  const seen: string[] = [];
  const written: Pod["status"][] = [];
  // Safe: nothing else of the node is used.
  const node = nodeContext({
    env: { clock: new VirtualClock() },
    events: { event: (_: unknown, type: string, reason: string) => void seen.push(`${type} ${reason}`) },
    client: { of: () => ({ updateStatus: ({ status }: Pod) => Promise.resolve(void written.push(status)) }) },
  });
  const readNode = () => Promise.resolve(void seen.push("read the Node"));
  const again = (uid: string) => void seen.push(`again ${uid}`);
  const refuse = (pod: Pod) => sysctlRefusal(pod, []);
  const admission = new PodAdmission({ node, allocations, readNode, refuse, again });
  return { admission, seen, written };
}

test("a refused Pod fails with the reason, once", async () => {
  const { admission, seen, written } = open();
  const pod = aPod("p", { cpu: "9" });
  expect(await admission.admit(pod, false)).toBe(undefined);
  expect(written).toMatchObject([
    {
      phase: "Failed",
      reason: "OutOfcpu",
      message: expect.stringMatching(/^Pod was rejected: Node didn't have enough resource: cpu/) as string,
    },
  ]);
  // The node has room now, and the Pod stays refused.
  expect(await admission.admit({ ...pod, spec: aPod("p", {}).spec }, false)).toBe(undefined);
  expect(seen).toEqual(["Warning OutOfcpu"]);
});

test("a Pod for other labels is refused only after the Node was read again", async () => {
  const { admission, seen } = open();
  await admission.admit(aPod("p", {}, { spec: { nodeSelector: { disk: "ssd" } } }), false);
  expect(seen).toEqual(["read the Node", "Warning NodeAffinity"]);
});

test("a start time in the status does not hide an unsafe sysctl", async () => {
  const { admission, written } = open();
  const securityContext = { sysctls: [{ name: "kernel.core_pattern", value: "x" }] };
  const pod = aPod("p", {}, { spec: { securityContext } });
  const started = { ...pod, status: { startTime: "2026-01-01T00:00:00Z" } };
  expect(await admission.admit(started, false)).toBe(undefined);
  expect(written).toMatchObject([{ reason: "SysctlForbidden" }]);
});

test("a resize that waits is decided again when a Pod has gone", async () => {
  const { admission, seen } = open();
  const sized = (cpu: string) => aPod("p", { cpu });
  await admission.admit(sized("1"), false);
  await admission.admit(aPod("q", { cpu: "3" }), false);
  await admission.admit(sized("2"), false);
  expect(seen).toEqual([]);
  admission.release("q");
  expect(seen).toEqual(["again p"]);
});
