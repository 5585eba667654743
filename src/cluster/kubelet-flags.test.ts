import { expect, test } from "vitest";
import { nodeLabelsOf, nodeNameOf, taintsOf } from "./kubelet-flags.ts";

test("labels of a node are read", () => {
  expect(nodeLabelsOf("a=b,node.kubernetes.io/x=y,topology.kubernetes.io/zone=z,c=")).toEqual({
    a: "b",
    "node.kubernetes.io/x": "y",
    "topology.kubernetes.io/zone": "z",
    c: "",
  });
});

test.each([
  ["a", "--node-labels: malformed pair, expect string=string: a"],
  ["node-role.kubernetes.io/master=", "[node-role.kubernetes.io/master]"],
  ["k8s.io/a=b", "unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [k8s.io/a]"],
])("the labels %j are refused", (text, message) => {
  expect(() => nodeLabelsOf(text)).toThrow(message);
});

test("taints of a node are read", () => {
  expect(taintsOf("a=b:NoSchedule,c:NoExecute")).toEqual([
    { key: "a", value: "b", effect: "NoSchedule" },
    { key: "c", effect: "NoExecute" },
  ]);
});

test.each(["a", "a=b", "a=b:Never", ":NoSchedule"])("the taint %j is refused", (text) => {
  expect(() => taintsOf(text)).toThrow(`invalid taint spec: ${text}`);
});

test("a node has the name of the flag, or of the machine", () => {
  expect(nodeNameOf(undefined, "Host.Example")).toBe("host.example");
  expect(nodeNameOf("worker-1", "host")).toBe("worker-1");
  expect(() => nodeNameOf("a b", "host")).toThrow('Cannot name the node "a b"');
});
