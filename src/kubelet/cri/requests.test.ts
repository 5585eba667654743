import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  ContainerConfigSchema,
  NamespaceMode,
  PodSandboxConfigSchema,
  Protocol,
  Signal,
} from "../rpc/generated/cri_pb.ts";
import { containerConfig, sandboxConfig } from "../runtime.suite.ts";
import type { ContainerSecurity, SandboxConfig } from "../runtime.ts";
import { containerRequest, type ImageUser, verifyNonRoot } from "./container-request.ts";
import { changes } from "./follow.ts";
import { namespaces, parseResolvConf, sandboxRequest } from "./sandbox-request.ts";

const hostDns = { servers: ["9.9.9.9"], searches: ["host.test"], options: ["timeout:1"] };
const place = { owner: "me", cgroupParent: "/parent", hostDns };

function sandbox(more: Partial<SandboxConfig> = {}) {
  return create(PodSandboxConfigSchema, sandboxRequest(sandboxConfig("web", "/logs", more), place));
}

function container(
  more: Parameters<typeof containerConfig>[2] = {},
  imageUser: ImageUser = { username: "" },
) {
  const request = containerRequest(containerConfig("image:v1", ["run"], more), {
    owner: "me",
    pod: { uid: "u", namespace: "ns", name: "p" },
    imageId: "sha256:1",
    imageUser,
    namespaces: namespaces(sandboxConfig("web", "/logs")),
    mounts: [],
    seccompDirectory: "/node/seccomp",
  });
  return create(ContainerConfigSchema, request);
}

describe("the request of a sandbox", () => {
  test("names the Pod in metadata and in upstream's labels", () => {
    const { metadata, labels, logDirectory, linux } = sandbox({ attempt: 2 });
    expect(metadata).toMatchObject({ name: "web", uid: "uid-web", namespace: "default", attempt: 2 });
    expect(labels).toEqual({
      "io.knarr.node": "me",
      "io.kubernetes.pod.name": "web",
      "io.kubernetes.pod.namespace": "default",
      "io.kubernetes.pod.uid": "uid-web",
    });
    expect([logDirectory, linux?.cgroupParent]).toEqual(["/logs/web", "/parent"]);
  });

  test("with the host's network, it has neither a name nor host ports", () => {
    const portMappings = [
      { protocol: "UDP", containerPort: 53, hostPort: 5353, hostIP: "127.0.0.1" },
    ] as const;
    expect(sandbox({ portMappings })).toMatchObject({
      hostname: "web",
      portMappings: [{ protocol: Protocol.UDP, containerPort: 53, hostPort: 5353, hostIp: "127.0.0.1" }],
    });
    const host = sandbox({ portMappings, hostNetwork: true, hostPID: true, hostIPC: true });
    expect(host).toMatchObject({ hostname: "", portMappings: [] });
    expect(host.linux?.securityContext?.namespaceOptions).toMatchObject({
      network: NamespaceMode.NODE,
      pid: NamespaceMode.NODE,
      ipc: NamespaceMode.NODE,
    });
  });

  test("without servers of its own, it has the host's resolver and its own searches", () => {
    expect(sandbox().dnsConfig?.servers).toEqual(["10.96.0.10"]);
    expect(sandbox({ dns: { servers: [], searches: ["own.test"], options: [] } }).dnsConfig).toMatchObject({
      servers: ["9.9.9.9"],
      searches: ["host.test", "own.test"],
      options: ["timeout:1"],
    });
  });

  test("resolv.conf(5): the last search counts, and comments do not", () => {
    const text = "# nameserver 1.1.1.1\nnameserver 2.2.2.2\nsearch a\nsearch b c\noptions ndots:2 rotate\n";
    expect(parseResolvConf(text)).toEqual({
      servers: ["2.2.2.2"],
      searches: ["b", "c"],
      options: ["ndots:2", "rotate"],
    });
  });
});

describe("the request of a container", () => {
  test("keeps what the agent asks for again: the attempt, the image and the policy of messages", () => {
    const made = container({ attempt: 3, terminationMessagePolicy: "FallbackToLogsOnError" });
    expect(made).toMatchObject({ logPath: "main/3.log", image: { image: "sha256:1" } });
    expect(made.annotations).toEqual({
      "io.knarr.image": "image:v1",
      "io.kubernetes.container.restartCount": "3",
      "io.kubernetes.container.terminationMessagePolicy": "FallbackToLogsOnError",
    });
  });

  test("the user is the Pod's, or else the image's, by number or by name", () => {
    const userOf = (security: Partial<ContainerSecurity>, image: ImageUser) => {
      const { runAsUser, runAsGroup, runAsUsername } =
        container({ security }, image).linux?.securityContext ?? {};
      return [runAsUser?.value, runAsGroup?.value, runAsUsername];
    };
    expect(userOf({ runAsUser: 7, runAsGroup: 8 }, { uid: 5n, username: "" })).toEqual([7n, 8n, ""]);
    expect(userOf({ runAsGroup: 8 }, { uid: 5n, username: "" })).toEqual([5n, 8n, ""]);
    expect(userOf({}, { username: "alice" })).toEqual([undefined, undefined, "alice"]);
  });

  test("only a privileged container sees all of /proc", () => {
    expect(container().linux?.securityContext?.maskedPaths).toContain("/proc/kcore");
    const { maskedPaths, readonlyPaths } =
      container({ security: { privileged: true } }).linux?.securityContext ?? {};
    expect([maskedPaths, readonlyPaths]).toEqual([[], []]);
  });

  test("a profile is a file below the node's directory", () => {
    const of = (profile: string) => container({ security: { seccomp: { type: "Localhost", profile } } });
    expect(of("a/b.json").linux?.securityContext?.seccomp?.localhostRef).toBe("/node/seccomp/a/b.json");
    for (const profile of ["/etc/passwd", "../x", "a/../../x"])
      expect(() => of(profile)).toThrow("is outside of the node's directory");
  });

  test("a stop signal, a variable's bytes and a device are as the Pod has them", () => {
    const devices = [{ hostPath: "/dev/sdb", containerPath: "/dev/x", readOnly: true }];
    const made = container({ stopSignal: "SIGUSR1", env: [{ name: "A", value: "ü" }], devices });
    expect(made.stopSignal).toBe(Signal.SIGUSR1);
    expect(Buffer.from(made.envs[0]?.value ?? []).toString()).toBe("ü");
    expect(made.devices).toMatchObject([{ permissions: "r" }]);
    expect(container({ stopSignal: "toString" }).stopSignal).toBe(Signal.RUNTIME_DEFAULT);
  });

  test.each([
    [{ runAsUser: 0 }, { username: "" }, "container's runAsUser breaks non-root policy"],
    [{}, { username: "" }, "container has runAsNonRoot and image will run as root"],
    [{}, { uid: 0n, username: "" }, "container has runAsNonRoot and image will run as root"],
    [{}, { username: "bob" }, "image has non-numeric user (bob), cannot verify user is non-root"],
  ])("root is refused: %o of %o", (own, image, message) => {
    const security = { ...containerConfig("i", []).security, ...own };
    expect(() => verifyNonRoot({ ...security, runAsNonRoot: true }, image)).toThrow(message);
    expect(() => verifyNonRoot(security, image)).not.toThrow();
    expect(() => verifyNonRoot({ ...security, runAsNonRoot: true, runAsUser: 1 }, image)).not.toThrow();
  });
});

test("changed Pods are those whose states differ, are new, or are gone", () => {
  const before = new Map([
    ["same", "1"],
    ["other", "1"],
    ["gone", "1"],
  ]);
  const now = new Map([
    ["same", "1"],
    ["other", "2"],
    ["new", "1"],
  ]);
  expect(changes(before, now)).toEqual(["other", "new", "gone"]);
});
