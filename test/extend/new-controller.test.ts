import { afterEach, describe, expect, test } from "vitest";
import {
  clusterRoleBindings,
  clusterRoles,
  type ConfigMap,
  configMaps,
  events,
  type Namespace,
  namespaces,
} from "../../src/api/index.ts";
import { controller, Manager, seededRandom, type Logger } from "../../src/operator/index.ts";
import { startCluster, type TestCluster, VirtualClock } from "../../src/testing/index.ts";

/*
 * All of a new controller, as docs/checklists/add-a-controller.md has it: a plan, a shell around it, and one
 * `Manager.add`. The controller keeps a ConfigMap `message` in every namespace that is annotated with a message.
 */
const annotation = "example.com/message";
const name = "message";

type Action =
  | { readonly type: "nothing" | "delete" }
  | { readonly type: "create" | "update"; readonly data: { readonly text: string } };

/** The change that brings the ConfigMap in line with its namespace. */
function plan({ metadata }: Namespace, present: ConfigMap | undefined): Action {
  const text = metadata.annotations?.[annotation];
  if (metadata.deletionTimestamp !== undefined || text === present?.data?.["text"])
    return { type: "nothing" };
  if (text === undefined) return { type: "delete" };
  return { type: present === undefined ? "create" : "update", data: { text } };
}

const messagePublisher = controller({
  name: "message-publisher",
  for: namespaces,
  owns: [configMaps],
  async reconcile({ name: namespace, cache, client, events }) {
    const found = cache.get(namespaces, undefined, namespace);
    if (found === undefined) return;
    const maps = client.of(configMaps, namespace);
    const action = plan(found, cache.get(configMaps, namespace, name));
    const { apiVersion, kind, metadata } = found;
    const owner = { apiVersion, kind, name: namespace, uid: metadata.uid ?? "", controller: true };
    switch (action.type) {
      case "nothing":
        return;
      case "delete":
        await maps.delete(name);
        break;
      case "create":
        await maps.create({ metadata: { name, ownerReferences: [owner] }, data: action.data });
        break;
      case "update":
        await maps.patch(name, { data: action.data }, { type: "merge" });
    }
    events.event(found, "Normal", "MessagePublished", `The message is up to date (${action.type})`);
  },
});

const identity = {
  name: "system:serviceaccount:default:message-publisher",
  groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
};

const role = {
  metadata: { name: "message-publisher" },
  rules: [
    { apiGroups: [""], resources: ["namespaces"], verbs: ["list", "watch"] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["create", "delete", "list", "patch", "watch"] },
    { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
  ],
};

/** The role without the permission to create what the controller makes. */
const tooSmall = {
  ...role,
  rules: role.rules.map((rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => verb !== "create") })),
};

let cluster: TestCluster;
let stop: () => Promise<void>;
let complaints: string[];

/** Starts a cluster where a role is bound to the controller's ServiceAccount, and the controller. */
async function start(permissions: typeof role): Promise<void> {
  const clock = new VirtualClock();
  cluster = await startCluster({ clock, nodes: 0 });
  await cluster.client.of(clusterRoles).create(permissions);
  await cluster.client.of(clusterRoleBindings).create({
    metadata: role.metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role.metadata.name },
    subjects: [{ kind: "ServiceAccount", namespace: "default", name: "message-publisher" }],
  });
  complaints = [];
  const complain = (message: string, { error }: { error?: unknown } = {}) =>
    void complaints.push(`${message}: ${String(error)}`);
  const log: Logger = { debug() {}, info() {}, warn: complain, error: complain, with: () => log };
  const env = { clock, random: seededRandom(1), log };
  const signal = new AbortController();
  const manager = new Manager({ env, transport: cluster.as(identity) }).add(messagePublisher);
  const ended = manager.run(signal.signal);
  stop = async () => {
    signal.abort();
    await ended;
    await cluster.stop();
  };
}

async function say(text: string | null): Promise<void> {
  const metadata = { annotations: { [annotation]: text } };
  await cluster.client.of(namespaces).patch("default", { metadata }, { type: "merge" });
}

const maps = () => cluster.client.of(configMaps, "default");
const shown = async () => (await maps().list()).items.find(({ metadata }) => metadata.name === name);
const isShown = (text: string | undefined) => async () => (await shown())?.data?.["text"] === text;

describe("a new controller", () => {
  afterEach(() => stop());

  test("makes the world match, whoever changed it, and owns what it made", async () => {
    await start(role);
    await say("hello");
    await cluster.waitFor(isShown("hello"));
    expect((await shown())?.metadata.ownerReferences).toMatchObject([
      { kind: "Namespace", controller: true },
    ]);
    await maps().patch(name, { data: { text: "vandalised" } }, { type: "merge" });
    await cluster.waitFor(isShown("hello"));
    await maps().delete(name);
    await cluster.waitFor(isShown("hello"));
    await say("bye");
    await cluster.waitFor(isShown("bye"));
    await say(null);
    await cluster.waitFor(isShown(undefined));
    expect(complaints).toEqual([]);
  });

  test("acts under its own identity, and tries again until its role permits what it does", async () => {
    await start(tooSmall);
    await say("hello");
    await cluster.waitFor(() => complaints.length >= 3);
    expect(new Set(complaints)).toEqual(
      new Set([
        `Cannot reconcile: will try again: StatusError: configmaps is forbidden: User "${identity.name}" cannot create resource "configmaps" in API group "" in the namespace "default"`,
      ]),
    );
    await cluster.client.of(clusterRoles).patch(role.metadata.name, { rules: role.rules }, { type: "merge" });
    await cluster.waitFor(isShown("hello"));
    const [owner] = (await shown())?.metadata.managedFields ?? [];
    expect(owner).toMatchObject({ manager: "message-publisher", operation: "Update" });
  });

  test("says what it did in an Event about the object", async () => {
    await start(role);
    await say("hello");
    const published = async () =>
      (await cluster.client.of(events).list()).items.filter(({ reason }) => reason === "MessagePublished");
    await cluster.waitFor(async () => (await published()).length > 0);
    expect(await published()).toMatchObject([
      {
        metadata: { namespace: "default" },
        involvedObject: { kind: "Namespace", name: "default" },
        type: "Normal",
        message: "The message is up to date (create)",
        source: { component: "message-publisher" },
      },
    ]);
  });
});

test.each<readonly [string | undefined, string | undefined, Action["type"]]>([
  [undefined, undefined, "nothing"],
  ["a", undefined, "create"],
  ["a", "a", "nothing"],
  ["a", "b", "update"],
  [undefined, "b", "delete"],
])("the plan for the message %j where %j is published: %s", (wanted, present, type) => {
  const annotations = wanted === undefined ? {} : { [annotation]: wanted };
  const namespace = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { annotations },
    spec: {},
    status: {},
  };
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: {}, data: { text: present ?? "" } };
  expect(plan(namespace, present === undefined ? undefined : map).type).toBe(type);
});
