import fc from "fast-check";
import { expect, test } from "vitest";
import { keyOf } from "../../client/indexer.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { atOnce } from "../../util/steps.ts";
import { FakeHost } from "../fake-host.suite.ts";
import { aNamespace, aPod, aPolicy } from "./builders.suite.ts";
import { FakeKernel, type Packet } from "./kernel.suite.ts";
import { mayConnect, type Objects } from "./naive.suite.ts";
import { NftablesPolicyBackend } from "./nftables/backend.ts";
import { PolicyIndex } from "./policy-index.ts";

/** Objects, with rules that follow them. */
class Following {
  readonly kernel = new FakeKernel();
  readonly #index = new PolicyIndex("node-1");
  readonly #backend: NftablesPolicyBackend;
  readonly #namespaces = new Map<string, ReturnType<typeof aNamespace>>();
  readonly #pods = new Map<string, ReturnType<typeof aPod>>();
  readonly #policies = new Map<string, ReturnType<typeof aPolicy>>();

  constructor() {
    const host = Object.assign(new FakeHost(), { run: this.kernel.run });
    this.#backend = new NftablesPolicyBackend({ host, bridge: "knarr-1", linkPrefix: "kn" });
  }

  get objects(): Objects {
    const [namespaces, pods, policies] = [this.#namespaces, this.#pods, this.#policies];
    return {
      namespaces: [...namespaces.values()],
      pods: [...pods.values()],
      policies: [...policies.values()],
    };
  }

  namespace(object: ReturnType<typeof aNamespace>): void {
    this.#namespaces.set(keyOf(object), object);
    this.#index.setNamespace(object);
  }

  pod(object: ReturnType<typeof aPod>): void {
    this.#pods.set(keyOf(object), object);
    this.#index.setPod(object);
  }

  policy(object: ReturnType<typeof aPolicy>): void {
    this.#policies.set(keyOf(object), object);
    this.#index.setPolicy(object);
  }

  remove({ kind, metadata: { namespace = "", name = "" }, ...object }: KubeObject): void {
    const key = keyOf({ kind, metadata: { namespace, name }, ...object });
    if (kind === "Pod") {
      this.#pods.delete(key);
      this.#index.deletePod(namespace, name);
    } else if (kind === "NetworkPolicy") {
      this.#policies.delete(key);
      this.#index.deletePolicy(namespace, name);
    } else {
      this.#namespaces.delete(name);
      this.#index.deleteNamespace(name);
    }
  }

  async sync(): Promise<void> {
    atOnce(this.#index.settle());
    const { state } = this.#index;
    await this.#backend.sync(state, state.takeChanges());
  }
}

const label = fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("x", "y"), { noNullPrototype: true });
const expression = fc.oneof(
  fc.record({
    key: fc.constantFrom("a", "b"),
    operator: fc.constantFrom("In", "NotIn"),
    values: fc.subarray(["x", "y"], { minLength: 1 }),
  }),
  fc.record({ key: fc.constantFrom("a", "b"), operator: fc.constantFrom("Exists", "DoesNotExist") }),
);
const selector = fc.oneof(
  fc.record({ matchLabels: label }),
  fc.record({ matchExpressions: fc.array(expression, { maxLength: 2 }) }),
);
const block = fc.constantFrom(
  { cidr: "10.244.0.0/24", except: ["10.244.0.12/31", "10.244.0.13/32"] },
  { cidr: "10.244.0.10/31" },
  { cidr: "10.0.0.0/8", except: ["10.244.0.0/29", "10.244.0.8/30"] },
  { cidr: "192.0.2.0/24" },
);
const peer = fc.oneof(
  fc.record({ podSelector: selector }),
  fc.record({ namespaceSelector: selector }),
  fc.record({ podSelector: selector, namespaceSelector: selector }),
  fc.record({ ipBlock: block }),
);
const protocol = fc.constantFrom("TCP", "UDP", "SCTP");
const port = fc.oneof(
  fc.record({ protocol }),
  fc.record({ port: fc.constantFrom(80, 81, 53, "web", "dns") }),
  fc.record({ protocol, port: fc.constantFrom<string | number>(80, 53, "web", "dns") }),
  fc.record({ port: fc.constantFrom(79, 80), endPort: fc.constantFrom(80, 81) }),
);
const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 2 });
const spec = fc.record(
  {
    podSelector: selector,
    policyTypes: fc.subarray(["Ingress", "Egress"]),
    ingress: some(fc.record({ from: some(peer), ports: some(port) })),
    egress: some(fc.record({ to: some(peer), ports: some(port) })),
  },
  { requiredKeys: ["podSelector"] },
);
const namespaceName = fc.constantFrom("one", "two", "three");
const containerPort = fc.record({
  name: fc.constantFrom("web", "dns"),
  containerPort: fc.constantFrom(80, 81, 53),
  protocol,
});
const slots = 6;
const addressOf = (slot: number) => `10.244.0.${10 + slot}`;
const pod = fc
  .record({
    slot: fc.nat({ max: slots - 1 }),
    namespace: namespaceName,
    labels: label,
    ports: fc.uniqueArray(containerPort, { maxLength: 2, selector: (one) => `${one.name}${one.protocol}` }),
    phase: fc.constantFrom("Running", "Running", "Pending", "Failed", "Succeeded"),
    hostNetwork: fc.constantFrom(false, false, false, true),
  })
  // Slots keep their namespace, because names are unique in one.
  .map(({ slot, hostNetwork, ...parts }) =>
    aPod(`pod-${slot}`, addressOf(slot), {
      ...parts,
      namespace: ["one", "two", "three"][slot % 3] ?? "",
      node: slot === 5 ? "node-2" : "node-1",
      spec: { hostNetwork },
    }),
  );
/** A finished Pod whose address another Pod has. */
const finished = fc
  .record({ slot: fc.nat({ max: slots - 1 }), labels: label })
  .map(({ slot, labels }) =>
    aPod(`finished-${slot}`, addressOf(slot), { labels, phase: "Succeeded", namespace: "one" }),
  );
const namespaceObject = fc.tuple(namespaceName, label).map(([name, labels]) => aNamespace(name, labels));
const policy = fc
  .tuple(fc.constantFrom("p", "q"), namespaceName, spec)
  .map(([name, namespace, content]) => aPolicy(name, content, namespace));

const change = fc.oneof(
  { weight: 6, arbitrary: pod.map((object) => ({ do: "pod", object }) as const) },
  { weight: 2, arbitrary: policy.map((object) => ({ do: "policy", object }) as const) },
  { weight: 1, arbitrary: namespaceObject.map((object) => ({ do: "namespace", object }) as const) },
  { weight: 1, arbitrary: finished.map((object) => ({ do: "pod", object }) as const) },
  {
    weight: 2,
    arbitrary: fc.oneof(pod, policy, namespaceObject).map((object) => ({ do: "remove", object }) as const),
  },
  { weight: 1, arbitrary: fc.constant({ do: "refuse" } as const) },
  { weight: 8, arbitrary: fc.constant({ do: "sync" } as const) },
);

/** Connections between all Pods, and with the outside. */
function* packets({ pods }: Objects): Generator<Packet> {
  const outside = "192.0.2.7";
  const running = pods.filter(({ status }) => status.phase === "Running");
  const ends = new Set([...running.map(({ status }) => status.podIP ?? ""), outside]);
  const local = new Set(
    running.flatMap(({ spec: { hostNetwork, nodeName }, status }) =>
      hostNetwork !== true && nodeName === "node-1" ? [status.podIP ?? ""] : [],
    ),
  );
  for (const from of ends) {
    for (const to of ends) {
      const ours = { fromPod: local.has(from), toPod: local.has(to) };
      for (const number of [53, 80, 81])
        for (const one of ["tcp", "udp", "sctp"] as const)
          yield { from, to, protocol: one, port: number, ...ours };
      yield { from, to, protocol: "icmp", port: 0, ...ours };
    }
  }
}

/** Compares the rules with an evaluation of all objects, and with rules that were loaded at once. */
async function check(following: Following): Promise<void> {
  const { objects, kernel } = following;
  for (const packet of packets(objects))
    if (kernel.passes(packet) !== mayConnect(objects, packet))
      throw new Error(`The kernel ${kernel.passes(packet) ? "passes" : "drops"} ${JSON.stringify(packet)}`);
  const fresh = new Following();
  for (const one of objects.namespaces) fresh.namespace(one);
  for (const one of objects.policies) fresh.policy(one);
  for (const one of objects.pods) fresh.pod(one);
  await fresh.sync();
  expect(kernel.table).toEqual(fresh.kernel.table);
}

test("after any changes the rules decide as an evaluation of all objects does", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 40, maxLength: 90, size: "max" }), async (changes) => {
      const following = new Following();
      for (const one of changes) {
        if (one.do === "refuse") following.kernel.faults = 1;
        else if (one.do === "pod") following.pod(one.object);
        else if (one.do === "policy") following.policy(one.object);
        else if (one.do === "namespace") following.namespace(one.object);
        else if (one.do === "remove") following.remove(one.object);
        else {
          const refused = following.kernel.faults > 0;
          const failure = await following.sync().catch((error: unknown) => error);
          if (failure === undefined) await check(following);
          else if (!refused) throw failure;
        }
      }
      following.kernel.faults = 0;
      await following.sync();
      await check(following);
    }),
    { numRuns: 200, seed: 20 },
  );
});

/** A hundred Pods in each of ten namespaces, with a policy in each that admits the Pods of one label. */
async function crowd(): Promise<Following> {
  const following = new Following();
  for (let i = 0; i < 10; i++) {
    const namespace = `ns-${i}`;
    following.namespace(aNamespace(namespace));
    const from = [{ podSelector: { matchLabels: { app: "client" } } }];
    following.policy(
      aPolicy("admit", { podSelector: { matchLabels: { app: "server" } }, ingress: [{ from }] }, namespace),
    );
    for (let j = 0; j < 100; j++) {
      const app = j < 10 ? "server" : "client";
      following.pod(
        aPod(`pod-${j}`, `10.244.${i}.${j + 2}`, {
          namespace,
          labels: { app },
          node: j < 10 ? "node-1" : "node-2",
        }),
      );
    }
  }
  await following.sync();
  return following;
}

test("a Pod that becomes a peer changes one element", async () => {
  const following = await crowd();
  const before = following.kernel.transactions;
  following.pod(
    aPod("new", "10.244.3.200", { namespace: "ns-3", labels: { app: "client" }, node: "node-2" }),
  );
  await following.sync();
  expect(following.kernel.transactions).toBe(before + 1);
  expect(following.kernel.commands).toEqual([
    expect.stringMatching(/^add element ip knarr-1-policy peers\/[0-9a-f]{32} \{ 10\.244\.3\.200 \}$/),
  ]);
});

test("a Pod that starts on the node adds its own chains alone", async () => {
  const following = await crowd();
  following.pod(aPod("new", "10.244.3.200", { namespace: "ns-3", labels: { app: "server" } }));
  await following.sync();
  const { commands } = following.kernel;
  expect(commands.map((line) => line.split(" ").slice(0, 5).join(" "))).toEqual([
    "add chain ip knarr-1-policy ingress-of/10.244.3.200",
    "add chain ip knarr-1-policy egress-of/10.244.3.200",
    "add rule ip knarr-1-policy ingress-of/10.244.3.200",
    "add rule ip knarr-1-policy ingress-of/10.244.3.200",
    "add rule ip knarr-1-policy ingress-of/10.244.3.200",
    "add rule ip knarr-1-policy egress-of/10.244.3.200",
    "add element ip knarr-1-policy ingress",
    "add element ip knarr-1-policy egress",
  ]);
});

test("a change without effect on the node loads nothing", async () => {
  const following = await crowd();
  const before = following.kernel.transactions;
  following.pod(aPod("new", "10.244.3.200", { namespace: "ns-3", labels: { app: "other" }, node: "node-2" }));
  following.policy(aPolicy("elsewhere", { podSelector: { matchLabels: { app: "nobody" } } }, "ns-3"));
  following.namespace(aNamespace("ns-3", { team: "a" }));
  // An equal policy, as after a change of its annotations.
  const from = [{ podSelector: { matchLabels: { app: "client" } } }];
  following.policy(
    aPolicy("admit", { podSelector: { matchLabels: { app: "server" } }, ingress: [{ from }] }, "ns-3"),
  );
  await following.sync();
  expect(following.kernel.transactions).toBe(before);
});

test("the newest of two Pods with one address has it", async () => {
  const following = new Following();
  following.policy(aPolicy("deny", { podSelector: { matchLabels: { app: "old" } } }));
  const packet: Packet = {
    from: "192.0.2.7",
    to: "10.244.0.2",
    protocol: "tcp",
    port: 80,
    fromPod: false,
    toPod: true,
  };
  following.pod(aPod("a", packet.to, { created: "2026-01-02T00:00:00Z" }));
  following.pod(aPod("b", packet.to, { created: "2026-01-01T00:00:00Z", labels: { app: "old" } }));
  await following.sync();
  expect(following.kernel.passes(packet)).toBe(true);
  following.remove(aPod("a", packet.to));
  await following.sync();
  expect(following.kernel.passes(packet)).toBe(false);
});

test("policies beyond the room of a node isolate and allow nothing, until others end", () => {
  const warned: string[] = [];
  const index = new PolicyIndex("node-1", ({ metadata }, problem) =>
    warned.push(`${metadata.name}: ${problem}`),
  );
  const from = Array.from({ length: 9980 }, (_, i) => ({
    ipBlock: { cidr: `10.${i >> 8}.${i & 255}.0/25` },
  }));
  for (let i = 0; i < 6; i++) index.setPolicy(aPolicy(`p${i}`, { ingress: [{ from }] }));
  index.setPod(aPod("pod", "10.244.0.2"));
  atOnce(index.settle());
  const withRules = () =>
    [...index.state.policies.values()].filter(({ ingress = [] }) => ingress.length > 0).length;
  expect(withRules()).toBe(5);
  expect(index.state.pod("10.244.0.2")?.ingress).toHaveLength(6);
  expect(warned).toEqual(["p5: the policies of the node's Pods together have a size above 50000"]);
  index.deletePolicy("default", "p2");
  atOnce(index.settle());
  expect([withRules(), index.state.policies.size]).toEqual([5, 5]);
});

test("a Pod has rules of a thousand policies, and a warning for more", () => {
  const warned: string[] = [];
  const index = new PolicyIndex("node-1", ({ metadata }, problem) =>
    warned.push(`${metadata.name}: ${problem}`),
  );
  for (let i = 0; i < 1001; i++) index.setPolicy(aPolicy(`p${String(i).padStart(4, "0")}`, {}));
  index.setPod(aPod("pod", "10.244.0.2"));
  atOnce(index.settle());
  expect(index.state.pod("10.244.0.2")?.ingress).toHaveLength(1000);
  expect(warned).toEqual(["p1000: a Pod has more than 1000 policies"]);
});

test("nothing remains of deleted objects", async () => {
  const index = new PolicyIndex("node-1");
  const from = [{ podSelector: {} }];
  index.setPolicy(aPolicy("allow", { ingress: [{ from }] }));
  index.setPod(aPod("pod", "10.244.0.2"));
  atOnce(index.settle());
  expect([[...index.state.addresses], [...index.state.setNames]].map(({ length }) => length)).toEqual([1, 1]);
  index.deletePod("default", "pod");
  atOnce(index.settle());
  expect([[...index.state.addresses], [...index.state.setNames], [...index.state.policies]]).toEqual([
    [],
    [],
    [],
  ]);
});
