import { expect, test } from "vitest";
import { resourceClaimTemplates } from "../../api/resource/resource-claim-template/schema.ts";
import { resourceClaims } from "../../api/resource/resource-claim/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, build, start } from "../builders.suite.ts";
import { plan, reservations } from "./plan.ts";

const spec = { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu", count: 1 } }] } };
const entries = [{ name: "gpu", resourceClaimTemplateName: "one-gpu" }];
const template = build(resourceClaimTemplates, {
  metadata: { name: "one-gpu", namespace: "default" },
  spec: { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec },
});

interface ClaimParts {
  readonly name?: string;
  readonly owner?: string;
  readonly entry?: string;
  readonly status?: object;
}

const aClaim = ({ name = "web-gpu-x", owner = "uid-web", entry = "gpu", status = {} }: ClaimParts = {}) =>
  build(resourceClaims, {
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      annotations: { "resource.kubernetes.io/pod-claim-name": entry },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "web", uid: owner, controller: true }],
    },
    spec,
    status,
  });

const recorded = { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "web-gpu-x" }] };
const unneeded = { resourceClaimStatuses: [{ name: "gpu" }] };
const noTemplate =
  'resource claim template "one-gpu": resourceclaimtemplate.resource.k8s.io "one-gpu" not found';

const view = ({ claim, owned = [], known = template }: Partial<Parts> = {}) => ({
  claim: () => claim,
  template: () => (known === "none" ? undefined : known),
  owned,
});
interface Parts {
  readonly claim: ReturnType<typeof aClaim>;
  readonly owned: readonly ReturnType<typeof aClaim>[];
  readonly known: typeof template | "none";
}
const show = (steps: ReturnType<typeof plan>) =>
  steps.map((step) => (step.type === "create" ? "create" : step.type === "record" ? step.name : step.why));

test.each([
  ["a claim is made", { spec: { resourceClaims: entries } }, view(), ["create"]],
  [
    "a recorded claim stays",
    { spec: { resourceClaims: entries }, status: recorded },
    view({ claim: aClaim() }),
    [],
  ],
  [
    "a recorded claim that is gone is made again",
    { spec: { resourceClaims: entries }, status: recorded },
    view(),
    ["create"],
  ],
  [
    "a recorded claim of another Pod is replaced",
    { spec: { resourceClaims: entries }, status: recorded },
    view({ claim: aClaim({ owner: "uid-other" }) }),
    ["create"],
  ],
  [
    "a claim that was made and not recorded is recorded",
    { spec: { resourceClaims: entries } },
    view({ owned: [aClaim({ entry: "nic" }), aClaim({ name: "web-gpu-y" })] }),
    ["web-gpu-y"],
  ],
  [
    "a claim that is not needed is not made",
    { spec: { resourceClaims: entries }, status: unneeded },
    view(),
    [],
  ],
  [
    "a user's claim is not made",
    { spec: { resourceClaims: [{ name: "gpu", resourceClaimName: "own" }] } },
    view(),
    [],
  ],
  [
    "a missing template is reported",
    { spec: { resourceClaims: entries } },
    view({ known: "none" }),
    [noTemplate],
  ],
  [
    "a terminating Pod gets no claims",
    { spec: { resourceClaims: entries }, metadata: { deletionTimestamp: formatTime(start) } },
    view(),
    [],
  ],
  [
    "an ended Pod gets no claims again",
    { spec: { resourceClaims: entries }, status: { ...recorded, phase: "Succeeded" } },
    view(),
    [],
  ],
])("%s", (_, parts, seen, steps) => {
  expect(show(plan(aPod("web", parts), seen))).toEqual(steps);
});

test("the claim has the template's metadata, the entry's name and the Pod as owner", () => {
  const [step] = plan(aPod("web", { spec: { resourceClaims: entries } }), view());
  expect(step).toMatchObject({
    type: "create",
    entry: "gpu",
    claim: {
      metadata: {
        generateName: "web-gpu-",
        labels: { a: "b" },
        annotations: { c: "d", "resource.kubernetes.io/pod-claim-name": "gpu" },
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "web", uid: "uid-web", controller: true }],
      },
      spec,
    },
  });
});

test("long names are shortened in proportion, as upstream", () => {
  const long = aPod("p".repeat(60), { spec: { resourceClaims: [{ ...entries[0], name: "e".repeat(20) }] } });
  const [step] = plan(long, view());
  const base = step?.type === "create" ? step.claim.metadata?.generateName : undefined;
  expect(base).toBe(`${"p".repeat(41)}-${"e".repeat(13)}`);
});

const allocated = { allocation: { devices: {} } };
test.each([
  ["an allocated claim of a bound Pod", "node-1", allocated, ["web-gpu-x"]],
  ["nothing before the Pod is bound", undefined, allocated, []],
  ["nothing without an allocation", "node-1", {}, []],
  [
    "nothing twice",
    "node-1",
    { ...allocated, reservedFor: [{ resource: "pods", name: "web", uid: "uid-web" }] },
    [],
  ],
])("a reservation is made for %s", (_, nodeName, status, names) => {
  const pod = aPod("web", { spec: { resourceClaims: entries, nodeName }, status: recorded });
  expect(reservations(pod, () => aClaim({ status })).map(({ metadata }) => metadata.name)).toEqual(names);
});

test("a claim of another Pod is not reserved", () => {
  const pod = aPod("web", { spec: { resourceClaims: entries, nodeName: "node-1" }, status: recorded });
  expect(() => reservations(pod, () => aClaim({ owner: "uid-other", status: allocated }))).toThrow(
    "ResourceClaim default/web-gpu-x was not created for Pod default/web (Pod is not owner)",
  );
});
