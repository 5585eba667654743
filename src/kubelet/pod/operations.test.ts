import { beforeEach, describe, expect, test } from "vitest";
import type { Container } from "../../api/core/pod/container.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { decode } from "../../meta/decode.ts";
import { silentLogger } from "../../util/logger.ts";
import { systemRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { errors } from "../../meta/status.ts";
import { Allocations } from "../allocation/allocations.ts";
import type { NodeContext } from "../node-context.ts";
import { nodeContext } from "../node-context.suite.ts";
import { type ImageService, RuntimeError, type SandboxConfig } from "../runtime.ts";
import { noVolumes } from "../simulated/no-volumes.ts";
import { SimulatedRuntime } from "../simulated/simulated-runtime.ts";
import { createSandbox, launchContainer } from "./operations.ts";
import { sandboxConfig } from "./sandbox-config.ts";

let events: string[];
let node: NodeContext;

beforeEach(() => {
  events = [];
  const env = { clock: new VirtualClock(), random: systemRandom, log: silentLogger };
  const runtime = new SimulatedRuntime({ env, podCIDR: "10.0.0.0/24" });
  node = nodeContext({
    env,
    runtime: new Proxy(runtime, {
      get: (target, name) => {
        if (
          name === "appliesSeccomp" ||
          name === "servesHostPorts" ||
          name === "obeysGroupsPolicy" ||
          name === "hasUserNamespaces"
        )
          return false;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    }),
    events: {
      event: (_: unknown, type: string, reason: string, message: string) =>
        events.push(`${type} ${reason} ${message}`),
    },
    volumes: noVolumes,
    allocations: new Allocations({ env, events: { event() {} }, facts: () => undefined, preempt() {} }),
    addresses: { hostIPs: ["192.0.2.1"], runtimeName: "simulated" },
    dns: { address: undefined, domain: "cluster.local" },
    logDirectory: "/nonexistent",
    podPidsLimit: 100,
    services: () => [],
  });
});

function pod(securityContext: object, outer: object = {}): { pod: Pod; container: Container } {
  const metadata = { name: "p", namespace: "default", uid: "u1" };
  const containers = [{ name: "main", image: "image", securityContext }];
  const made = decode(pods.schema, { metadata, spec: { containers, securityContext: outer } }) as Pod;
  const [container] = made.spec.containers;
  if (container === undefined) throw new Error("the Pod has no container");
  return { container, pod: made };
}

/** Starts a container. Returns its Events about seccomp. */
async function start(securityContext: object, outer: object = {}): Promise<readonly string[]> {
  const made = pod(securityContext, outer);
  await createSandbox(node, made.pod, 0);
  for (const sandbox of await node.runtime.list())
    await launchContainer(node, made.pod, sandbox, made.container, 0);
  return events.filter((event) => event.includes("eccomp"));
}

describe("where the runtime applies no seccomp profiles", () => {
  const said =
    "Warning SeccompProfileNotApplied Container main runs unconfined instead of with the seccomp profile RuntimeDefault: this node's container runtime does not apply seccomp profiles";
  const runtimeDefault = { seccompProfile: { type: "RuntimeDefault" } };
  const localhost = { seccompProfile: { type: "Localhost", localhostProfile: "strict.json" } };

  test("a container with RuntimeDefault starts, and an Event reports that it is unconfined", async () => {
    expect(await start(runtimeDefault)).toEqual([said]);
  });

  test("the Pod's profile counts for containers without one of their own", async () => {
    expect(await start({}, runtimeDefault)).toEqual([said]);
  });

  test("a container with a Localhost profile is refused", async () => {
    await expect(start(localhost)).rejects.toMatchObject({ reason: "CreateContainerError" });
    expect(events.at(-1)).toContain("Warning Failed Error: cannot load the Localhost seccomp profile");
  });

  test.each([
    ["no profile", {}, {}],
    ["Unconfined", { seccompProfile: { type: "Unconfined" } }, runtimeDefault],
    ["privilege", { privileged: true }, localhost],
  ])("no Event reports a container with %s", async (_, own, outer) => {
    expect(await start(own, outer)).toEqual([]);
  });
});

test("a container whose groups must be strict is refused where the runtime would add the image's", async () => {
  await expect(start({}, { supplementalGroupsPolicy: "Strict" })).rejects.toMatchObject({
    message: "SupplementalGroupsPolicy=Strict is not supported in this node",
  });
  expect(await start({}, { supplementalGroupsPolicy: "Merge" })).toEqual([]);
});

test("a Pod has the node's limit of processes, unless there is none", () => {
  const made = pod({}).pod;
  expect(sandboxConfig(node, made, 0).resources.pidsLimit).toBe(100);
  expect(sandboxConfig({ ...node, podPidsLimit: -1 }, made, 0).resources.pidsLimit).toBeUndefined();
});

test("an Event reports host ports that the runtime does not serve", async () => {
  const made = pod({});
  const ports = [
    { containerPort: 80, hostPort: 8080 },
    { containerPort: 53, hostPort: 53, protocol: "UDP" },
    { containerPort: 1 },
  ];
  const spec = { ...made.pod.spec, containers: [{ ...made.container, ports }] };
  await createSandbox(node, { ...made.pod, spec } as Pod, 0);
  expect(events).toEqual([
    "Warning HostPortNotServed Host ports 8080/TCP, 53/UDP are not served: this node's container runtime does not map host ports",
  ]);
  await createSandbox(node, { ...made.pod, spec: { ...spec, hostNetwork: true } } as Pod, 1);
  expect(events).toHaveLength(1);
});

describe("the image of a Pod with pull secrets", () => {
  const credentials = ["first", "second"].map((username) => ({ username, password: "p" }));

  /** Starts a Pod whose image is pulled. Returns the users of the pulls; only the accepted one succeeds. */
  async function pulls(accepted: string | undefined, imagePullSecrets: object[]) {
    const users: (string | undefined)[] = [];
    const images: Pick<ImageService, "inspect" | "pull"> = {
      inspect: async () => undefined,
      pull: async (_image, _pod, given) => {
        users.push(given?.username);
        if (given?.username !== accepted) throw new RuntimeError("ErrImagePull", "unauthorized");
        return { id: "sha256:1", tags: [], digests: [], sizeBytes: 0 };
      },
    };
    const runtime = new Proxy(node.runtime, {
      get: (target, name) => (name === "images" ? images : (Reflect.get(target, name) as unknown)),
    });
    const made = pod({});
    const secret = { ...made.pod, spec: { ...made.pod.spec, imagePullSecrets } } as Pod;
    await createSandbox(node, secret, 0);
    const [sandbox] = await node.runtime.list();
    if (sandbox === undefined) throw new Error("no sandbox");
    const other = { ...node, runtime, pullCredentials: async () => credentials };
    const failure = await launchContainer(other, secret, sandbox, made.container, 0).catch((error) => error);
    return { users, failure };
  }

  test("is pulled with each of the credentials until one is accepted", async () => {
    expect((await pulls("second", [{ name: "s" }])).users).toEqual(["first", "second"]);
    expect((await pulls("first", [{ name: "s" }])).users).toEqual(["first"]);
  });

  test("is not pulled anonymously when none is accepted; without secrets it is", async () => {
    const { users, failure } = await pulls("nobody", [{ name: "s" }]);
    expect([users, failure]).toEqual([
      ["first", "second"],
      expect.objectContaining({ reason: "ErrImagePull" }),
    ]);
    expect((await pulls(undefined, [])).users).toEqual([undefined]);
  });
});

test("a sandbox has the handler of the Pod's RuntimeClass, which must exist", async () => {
  const handlers: (string | undefined)[] = [];
  const made = pod({}).pod;
  const runtimeClassName = "vm";
  const classed = { ...made, spec: { ...made.spec, runtimeClassName } } as Pod;
  const get = async (name: string) => {
    if (name === "vm") return { handler: "kata" };
    throw errors.notFound({ group: "node.k8s.io", resource: "runtimeclasses" }, name);
  };
  const runtime = {
    ...node.runtime,
    runSandbox: async (config: SandboxConfig) => handlers.push(config.runtimeHandler),
  };
  const other = nodeContext({ ...node, runtime, client: { of: () => ({ get }) } });
  await createSandbox(other, classed, 0);
  await createSandbox(other, made, 0);
  expect(handlers).toEqual(["kata", undefined]);
  const unknown = { ...made, spec: { ...made.spec, runtimeClassName: "none" } } as Pod;
  await expect(createSandbox(other, unknown, 0)).rejects.toMatchObject({ reason: "CreatePodSandboxError" });
  expect(events.at(-1)).toContain(
    'Warning FailedCreatePodSandBox failed to get sandbox runtime: failed to get RuntimeClass "none"',
  );
});
