import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nativeUnavailable } from "../../src/kubelet/native/native-runtime.ts";
import { findKubectl } from "../find-kubectl.ts";
import { collect } from "../streaming/kubectl.ts";
import { hostState } from "./host-state.ts";
import { LocalCluster } from "./local-cluster.ts";

const obstacle =
  nativeUnavailable() ?? (findKubectl() === undefined ? "kubectl is not on the PATH" : undefined);
if (obstacle !== undefined) process.stderr.write(`Storage is not tested: ${obstacle}\n`);

const manifest = JSON.stringify({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db" },
  spec: {
    serviceName: "db",
    selector: { matchLabels: { app: "db" } },
    template: {
      metadata: { labels: { app: "db" } },
      spec: {
        terminationGracePeriodSeconds: 0,
        securityContext: { runAsUser: 1000, fsGroup: 2000 },
        containers: [
          {
            name: "db",
            image: "knarr.local/host:latest",
            command: ["sh", "-c", "echo started >>/data/log; exec sleep 1000000"],
            volumeMounts: [{ name: "data", mountPath: "/data" }],
          },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
      },
    ],
  },
});

describe.skipIf(obstacle !== undefined)("a StatefulSet with claims, in real containers", () => {
  const before = obstacle === undefined ? hostState() : {};
  const cluster = new LocalCluster();
  const kubectl = (...args: readonly string[]) => cluster.kubectl(...args);
  const volumes = () => join(cluster.directory, "local-path");
  const ready = () => kubectl("rollout", "status", "statefulset/db", "--timeout=60s");

  beforeAll(async () => {
    await cluster.start("--cleanup");
  });
  afterAll(async () => {
    await cluster.dispose();
    expect(hostState()).toEqual(before);
  });

  it("gets a directory of the node by the default class", async () => {
    const { stderr, code } = await collect(cluster.startKubectl("apply", "-f", "-"), manifest);
    expect([stderr, code]).toEqual(["", 0]);
    await ready();
    const [volume = ""] = readdirSync(volumes());
    expect(statSync(volumes()).mode & 0o777).toBe(0o700);
    expect(statSync(join(volumes(), volume)).gid).toBe(2000);
    expect(statSync(join(volumes(), volume, "log"))).toMatchObject({ uid: 1000, gid: 2000 });
  });

  it("keeps its files for the next Pod", async () => {
    await kubectl("delete", "pod", "db-0", "--wait");
    await ready();
    expect(await kubectl("exec", "db-0", "--", "cat", "/data/log")).toBe("started\nstarted\n");
  });

  it("mounts an image as a volume that can only be read", async () => {
    const reference = "knarr.local/host:latest";
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "reader" },
      spec: {
        restartPolicy: "Never",
        containers: [
          {
            name: "reader",
            image: reference,
            command: ["sh", "-c", "ls -d /image/etc; ! touch /image/new"],
            volumeMounts: [{ name: "image", mountPath: "/image" }],
          },
        ],
        volumes: [{ name: "image", image: { reference, pullPolicy: "IfNotPresent" } }],
      },
    };
    await collect(cluster.startKubectl("apply", "-f", "-"), JSON.stringify(pod));
    await kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/reader", "--timeout=60s");
    expect(await kubectl("logs", "reader")).toContain("/image/etc");
    await kubectl("delete", "pod", "reader");
  });

  it("loses the directory with the claim", async () => {
    await kubectl("delete", "statefulset", "db", "--wait");
    await kubectl("delete", "pvc", "data-db-0", "--wait");
    await kubectl("wait", "--for=delete", "pv", "--all", "--timeout=60s");
    expect(existsSync(volumes()) ? readdirSync(volumes()) : []).toEqual([]);
  });
});
