import { beforeEach, describe, expect, test } from "vitest";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { resourceSlices } from "../../api/resource/resource-slice/schema.ts";
import { volumeAttachments } from "../../api/storage/volume-attachment/schema.ts";
import { parseFieldSelector } from "../../meta/fields.ts";
import type { AccessRequest, ResourceAccess } from "./authorizer.ts";
import { nodeRules } from "./node-rules.ts";
import { NodeAuthorizer } from "./node.ts";
import { Objects } from "./objects.suite.ts";
import { ruleAllows } from "./rules.ts";

/** `get pods/log ns/name ?field=value`, with the group after the resource: `leases.coordination.k8s.io`. */
function parse(text: string): Pick<AccessRequest, "verb" | "target"> {
  const [verb = "", thing = "", place = "", selector] = text.split(" ");
  if (thing.startsWith("/")) return { verb, target: { type: "path", path: thing } };
  const [full = "", subresource = ""] = thing.split("/");
  const [resource = "", ...group] = full.split(".");
  const [namespace = "", name = ""] = place.split("/");
  const fields = selector === undefined ? {} : { fields: parseFieldSelector(selector.slice(1)) };
  const target: ResourceAccess = {
    type: "resource",
    group: group.join("."),
    version: "v1",
    namespace,
    resource,
    subresource,
    name,
    ...fields,
  };
  return { verb, target };
}

let objects: Objects;
let authorizer: NodeAuthorizer;
beforeEach(() => {
  objects = new Objects();
  authorizer = new NodeAuthorizer(objects.services);
});

function decide(text: string, name = "system:node:n1", groups = ["system:nodes"]): string {
  const { allowed, reason } = authorizer.authorize({ user: { name, groups }, ...parse(text) });
  return allowed ? "allowed" : reason;
}

const aPod = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, namespace: "ns", ...metadata },
  spec: { nodeName: "n1", containers: [], ...spec },
});

const unrelated = "no relationship found between node 'n1' and this object";
const ownVerbs = ["get", "create", "update", "patch", "delete"];
const lease = "leases.coordination.k8s.io kube-node-lease";
const csiNode = "csinodes.storage.k8s.io";
const slices = "resourceslices.resource.k8s.io";
const needsSelector = "can only list/watch/deletecollection resourceslices with nodeName field selector";

type Answer = readonly [request: string, answer: string];

/** The answers to requests, with the objects below. */
const answers: readonly Answer[] = [
  ["get secrets ns/s", "allowed"],
  ["list secrets ns/s", "allowed"],
  ["watch secrets ns/s", "allowed"],
  ["get secrets other/s", unrelated],
  ["get secrets ns/t", unrelated],
  ["get secrets csi/key", "allowed"],
  ["get secrets ns/key", unrelated],
  ["list secrets ns/", "No Object name found"],
  ["update secrets ns/s", "can only read resources of this type"],
  ["get secrets/status ns/s", "cannot read subresource"],
  ["get secrets /s", "can only read namespaced object of this type"],
  ["get configmaps ns/c", "allowed"],
  ["get configmaps ns/s", unrelated],
  ["delete configmaps ns/c", "can only read resources of this type"],
  ["get persistentvolumeclaims ns/claim", "allowed"],
  ["get persistentvolumeclaims ns/other", unrelated],
  ["list persistentvolumeclaims ns/claim", "can only get individual resources of this type"],
  ["get persistentvolumeclaims/scale ns/claim", "cannot get subresource"],
  ["update persistentvolumeclaims/status ns/claim", "allowed"],
  ["patch persistentvolumeclaims/status ns/claim", "allowed"],
  ["get persistentvolumeclaims/status ns/claim", "can only get/update/patch this type"],
  ["patch persistentvolumeclaims/status ns/other", unrelated],
  ["get persistentvolumes /pv", "allowed"],
  ["get persistentvolumes /free", unrelated],
  ["get persistentvolumes /none", unrelated],
  ["watch persistentvolumes /pv", "can only get individual resources of this type"],
  ["get resourceclaims.resource.k8s.io ns/gpu", "allowed"],
  ["get resourceclaims.resource.k8s.io ns/other", unrelated],
  ["get volumeattachments.storage.k8s.io /at-n1", "allowed"],
  ["get volumeattachments.storage.k8s.io /at-n2", unrelated],
  ["get volumeattachments.storage.k8s.io /none", unrelated],
  ["get volumeattachments.storage.k8s.io /", "No Object name found"],
  ["get serviceaccounts ns/robot", "allowed"],
  ["get serviceaccounts ns/other", unrelated],
  ["list serviceaccounts ns/robot", "can only create tokens for individual service accounts"],
  ["create serviceaccounts ns/", "can only create tokens for individual service accounts"],
  ["create serviceaccounts ns/robot", "can only create token subresource of serviceaccount"],
  ["get serviceaccounts/token ns/robot", "can only create tokens for individual service accounts"],
  ["create serviceaccounts/token ns/robot", "allowed"],
  ["create serviceaccounts/token ns/other", unrelated],
  ["get pods ns/web", "allowed"],
  ["get pods ns/waiting", unrelated],
  ["get pods ns/none", unrelated],
  ["list pods ns/ ?spec.nodeName=n1", "allowed"],
  ["watch pods / ?spec.nodeName=n1", "allowed"],
  ["list pods / ?spec.nodeName=n2", "can only list/watch pods with spec.nodeName field selector"],
  ["list pods / ?spec.nodeName!=n1", "can only list/watch pods with spec.nodeName field selector"],
  ["list pods /", "can only list/watch pods with spec.nodeName field selector"],
  ["watch pods ns/web", "allowed"],
  ["watch pods ns/waiting", unrelated],
  ["deletecollection pods / ?spec.nodeName=n1", ""],
  ["create pods ns/", "allowed"],
  ["delete pods ns/web", "allowed"],
  ["update pods ns/web", ""],
  ["update pods/status ns/web", "allowed"],
  ["patch pods/status ns/web", "allowed"],
  ["get pods/status ns/web", ""],
  ["create pods/eviction ns/web", "allowed"],
  ["get pods/eviction ns/web", ""],
  ["get pods/log ns/web", ""],
  ["create pods/binding ns/web", ""],
  ["get nodes /n1", "allowed"],
  ["list nodes /n1", "allowed"],
  ["watch nodes /n1", "allowed"],
  ["get nodes /n2", "node 'n1' cannot read 'n2', only its own Node object"],
  ["list nodes /", "node 'n1' cannot read all nodes, only its own Node object"],
  ["create nodes /", "allowed"],
  ["update nodes /n1", "allowed"],
  ["patch nodes /n1", "allowed"],
  ["delete nodes /n1", ""],
  ["update nodes/status /n1", "allowed"],
  ["patch nodes/status /n1", "allowed"],
  ["get nodes/status /n1", ""],
  ["get nodes/proxy /n1", ""],
  ["update nodes/proxy /n1", ""],
  ...ownVerbs.flatMap((verb): Answer[] => [
    [`${verb} ${lease}/n1`, "allowed"],
    [`${verb} ${csiNode} /n1`, "allowed"],
  ]),
  [`list ${lease}/n1`, "can only get, create, update, patch, or delete a node lease"],
  [`get ${lease}/n2`, "can only access node lease with the same name as the requesting node"],
  [`create ${lease}/`, "allowed"],
  [
    "get leases.coordination.k8s.io ns/n1",
    'can only access leases in the "kube-node-lease" system namespace',
  ],
  [`watch ${csiNode} /n1`, "can only get, create, update, patch, or delete a CSINode"],
  [`get ${csiNode}/status /n1`, "cannot authorize CSINode subresources"],
  [`get ${csiNode} /n2`, "can only access CSINode with the same name as the requesting node"],
  [`create ${csiNode} /`, "allowed"],
  [`create ${slices} /`, "allowed"],
  ...["get", "update", "patch", "delete"].flatMap((verb): Answer[] => [
    [`${verb} ${slices} /of-n1`, "allowed"],
    [`${verb} ${slices} /of-n2`, unrelated],
  ]),
  [`get ${slices} /none`, unrelated],
  ...["list", "watch", "deletecollection"].flatMap((verb): Answer[] => [
    [`${verb} ${slices} / ?spec.nodeName=n1`, "allowed"],
    [`${verb} ${slices} / ?spec.nodeName=n2`, needsSelector],
    [`${verb} ${slices} /`, needsSelector],
  ]),
  [`get ${slices}/status /of-n1`, "cannot authorize ResourceSlice subresources"],
  [
    `bind ${slices} /of-n1`,
    "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
  ],
];

describe("a node agent", () => {
  beforeEach(async () => {
    const volumes = [
      { name: "a", secret: { secretName: "s" } },
      { name: "b", configMap: { name: "c" } },
      { name: "c", persistentVolumeClaim: { claimName: "claim" } },
    ];
    const resourceClaims = [{ name: "gpu", resourceClaimName: "gpu" }];
    await objects.put(pods, aPod("web", { serviceAccountName: "robot", volumes, resourceClaims }));
    await objects.put(pods, aPod("waiting", { nodeName: undefined, serviceAccountName: "other" }));
    const csi = {
      driver: "d",
      volumeHandle: "h",
      nodeStageSecretRef: { namespace: "csi", name: "key" },
    };
    const claimRef = { namespace: "ns", name: "claim" };
    await objects.put(persistentVolumes, { metadata: { name: "pv" }, spec: { csi, claimRef } });
    await objects.put(persistentVolumes, { metadata: { name: "free" }, spec: { csi } });
    for (const nodeName of ["n1", "n2"]) {
      await objects.put(volumeAttachments, { metadata: { name: `at-${nodeName}` }, spec: { nodeName } });
      await objects.put(resourceSlices, { metadata: { name: `of-${nodeName}` }, spec: { nodeName } });
    }
  });

  test.each(answers)("that asks to %s: %s", (request, answer) => {
    expect(decide(request)).toBe(answer);
  });

  // Upstream leaves ResourceSlices out of the role too.
  test.each(answers.filter(([request, answer]) => answer === "allowed" && !request.includes(slices)))(
    "may %s, and the ClusterRole system:node shows it",
    (request) => {
      const { verb, target } = parse(request);
      expect(nodeRules.some((rule) => ruleAllows(rule, verb, target))).toBe(true);
    },
  );

  const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
  test.each([
    ["services", ["get", "list", "watch"]],
    ["services/status", []],
    ["endpoints", ["get"]],
    ["events", ["create", "update", "patch"]],
    ["events.events.k8s.io", ["create", "update", "patch"]],
    ["tokenreviews.authentication.k8s.io", ["create"]],
    ["subjectaccessreviews.authorization.k8s.io", ["create"]],
    ["localsubjectaccessreviews.authorization.k8s.io", ["create"]],
    ["certificatesigningrequests.certificates.k8s.io", ["get", "list", "watch", "create"]],
    ["csidrivers.storage.k8s.io", ["get", "list", "watch"]],
    ["runtimeclasses.node.k8s.io", ["get", "list", "watch"]],
    ["namespaces", []],
    ["deployments.apps", []],
  ])("may do with %s what all nodes may: %j", (resource, allowed) => {
    expect(verbs.filter((verb) => decide(`${verb} ${resource} ns/x`) === "allowed")).toEqual(allowed);
  });

  test("of a name in a resource of another group has no rule of its own", () => {
    expect(decide("get secrets.example.com ns/s")).toBe("");
    expect(decide("get pods.metrics.k8s.io ns/web")).toBe("");
  });

  test("may get no path", () => {
    expect(decide("get /metrics")).toBe("");
  });
});

test("requests of users who are no node agents get no decision", () => {
  expect(decide("list services /", "alice", ["system:nodes"])).toBe("");
  expect(decide("list services /", "system:node:n1", ["system:authenticated"])).toBe("");
  expect(decide("list services /", "a:system:node:n1")).toBe("");
});

test("the agent of a node without a name may do nothing", () => {
  expect(decide("list services /", "system:node:")).toBe('unknown node for user "system:node:"');
});

test("a node agent has no rules to list", () => {
  expect(authorizer.rulesFor()).toEqual([]);
});

test("a node stays connected with what one of its Pods still refers to", async () => {
  const uses = (...names: readonly string[]) => ({ imagePullSecrets: names.map((name) => ({ name })) });
  expect(decide("get secrets ns/s")).toBe(unrelated);
  await objects.put(pods, aPod("a", uses("s", "s")));
  await objects.put(pods, aPod("b", uses("s")));
  expect(decide("get secrets ns/s")).toBe("allowed");
  await objects.put(pods, aPod("a", uses("t")));
  expect(decide("get secrets ns/s")).toBe("allowed");
  expect(decide("get secrets ns/t")).toBe("allowed");
  await objects.remove(pods, { namespace: "ns", name: "b" });
  expect(decide("get secrets ns/s")).toBe(unrelated);
  await objects.remove(pods, { namespace: "ns", name: "a" });
  expect(decide("get secrets ns/t")).toBe(unrelated);
});

test("an authorizer that starts late reads the objects from before", async () => {
  await objects.put(pods, aPod("a", { imagePullSecrets: [{ name: "s" }] }));
  authorizer = new NodeAuthorizer(objects.services);
  expect(decide("get secrets ns/s")).toBe("allowed");
  await objects.remove(pods, { namespace: "ns", name: "a" });
  expect(decide("get secrets ns/s")).toBe(unrelated);
});

test("an authorizer that is not asked during ten thousand changes lists the objects again", async () => {
  await objects.put(pods, aPod("a", { imagePullSecrets: [{ name: "s" }] }));
  expect(decide("get secrets ns/s")).toBe("allowed");
  for (let i = 0; i <= 10_000; i++)
    await objects.put(pods, aPod("a", { imagePullSecrets: [{ name: i % 2 === 0 ? "even" : "odd" }] }));
  expect(decide("get secrets ns/s")).toBe(unrelated);
  expect(decide("get secrets ns/even")).toBe("allowed");
  expect(decide("get secrets ns/odd")).toBe(unrelated);
});

test("mirror Pods connect a node with nothing", async () => {
  const metadata = { annotations: { "kubernetes.io/config.mirror": "" } };
  await objects.put(pods, aPod("a", { imagePullSecrets: [{ name: "s" }] }, metadata));
  expect(decide("get secrets ns/s")).toBe(unrelated);
  expect(decide("get pods ns/a")).toBe("allowed");
});
