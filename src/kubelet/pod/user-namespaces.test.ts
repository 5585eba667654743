import { expect, test } from "vitest";
import { idsOfPod, type SandboxStatus } from "../runtime.ts";
import { UserNamespaces } from "./user-namespaces.ts";

const sandbox = (uid: string, firstId?: number): SandboxStatus => ({
  id: uid,
  pod: { uid, namespace: "default", name: uid },
  attempt: 0,
  state: "ready",
  createdAt: 0,
  ips: [],
  containers: [],
  ...(firstId !== undefined && { firstId }),
});

test("ranges do not overlap each other, the host's IDs, or those of sandboxes from before", () => {
  const ranges = new UserNamespaces();
  const before = [sandbox("adopted", 2 * idsOfPod), sandbox("plain")];
  expect(ranges.rangeOf("a", before)).toBe(idsOfPod);
  expect(ranges.rangeOf("b", before)).toBe(3 * idsOfPod);
  expect(ranges.rangeOf("a", before)).toBe(idsOfPod);
  expect(ranges.rangeOf("adopted", before)).toBe(2 * idsOfPod);
  ranges.release("a");
  expect(ranges.rangeOf("c", before)).toBe(idsOfPod);
});

test("an error says that all ranges are taken", () => {
  const all = Array.from({ length: 2 ** 15 }, (_, index) => sandbox(String(index), index * idsOfPod));
  const ranges = new UserNamespaces();
  expect(() => ranges.rangeOf("late", all)).toThrow("could not find an empty slot");
  expect(ranges.rangeOf("last", all.slice(0, -1))).toBe((2 ** 15 - 1) * idsOfPod);
});
