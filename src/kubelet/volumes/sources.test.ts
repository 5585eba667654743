import { beforeEach, describe, expect, test } from "vitest";
import { errors } from "../../meta/status.ts";
import type { Kind } from "../../meta/kind.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import type { NodeContext } from "../node-context.ts";
import { nodeContext } from "../node-context.suite.ts";
import { aPod } from "../pod/builders.suite.ts";
import type { VolumeFile } from "./atomic-writer.ts";
import { configMapFiles, downwardFiles, forgetTokens, projectedFiles, secretFiles } from "./sources.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const objects: Readonly<Record<string, object>> = {
  "configmaps/cm": { data: { a: "text", b: "ž" }, binaryData: { raw: Buffer.of(0, 255).toString("base64") } },
  "secrets/s": { data: { key: base64("secret") } },
};

let clock: VirtualClock;
let node: NodeContext;
/** The tokens that were asked for, as the bodies of the requests. */
let requests: { readonly spec: object }[];
beforeEach(() => {
  clock = new VirtualClock();
  requests = [];
  const of = ({ plural }: Kind, namespace: string) => ({
    get(name: string) {
      const found = namespace === "ns" ? objects[`${plural}/${name}`] : undefined;
      return found === undefined
        ? Promise.reject(errors.notFound({ group: "", resource: plural }, name))
        : Promise.resolve(found);
    },
    subresource: (account: string, subresource: string) => ({
      create(request: { readonly spec: object }) {
        requests.push(request);
        return Promise.resolve({ status: { token: `${account}/${subresource} ${requests.length}` } });
      },
    }),
  });
  const addresses = { hostIPs: ["192.0.2.1"] };
  // Safe: nothing else of the node is asked for.
  node = nodeContext({ client: { of }, env: { clock }, addresses, allocatable: { cpu: "2" } });
});

const context = (spec: object = {}, status: object = {}) => ({ node, pod: aPod(spec, {}, status) });
const shown = (files: readonly VolumeFile[]) =>
  Object.fromEntries(
    files.map(({ path, content, mode }) => [
      path,
      `${(mode ?? 0).toString(8)} ${Buffer.from(content).toString("latin1")}`,
    ]),
  );

describe("the files of an object", () => {
  test("are all that it holds, or those that are chosen, with the modes that are asked for", async () => {
    expect(shown(await configMapFiles(context(), { name: "cm" }))).toEqual({
      a: "644 text",
      b: "644 Å¾",
      raw: "644 \0ÿ",
    });
    const items = [
      { key: "a", path: "deep/er" },
      { key: "raw", path: "bin", mode: 0o400 },
    ];
    expect(shown(await configMapFiles(context(), { name: "cm", items }, 0o440))).toEqual({
      "deep/er": "440 text",
      bin: "400 \0ÿ",
    });
    for (const source of [{ secretName: "s" }, { name: "s" }])
      expect(shown(await secretFiles(context(), source, 0o600))).toEqual({ key: "600 secret" });
  });

  test.each([
    ["a ConfigMap", () => configMapFiles(context(), { name: "no" }), 'configmap "no" not found'],
    ["a Secret", () => secretFiles(context(), { secretName: "no" }), 'secret "no" not found'],
    [
      "a ConfigMap's key",
      () => configMapFiles(context(), { name: "cm", items: [{ key: "no", path: "p" }] }),
      "configmap references non-existent config key: no",
    ],
    [
      "a Secret's key",
      () => secretFiles(context(), { name: "s", items: [{ key: "no", path: "p" }] }),
      "references non-existent secret key: no",
    ],
  ])("cannot be made without %s", async (_, files, message) => {
    await expect(files()).rejects.toMatchObject({ reason: "CreateContainerConfigError", message });
  });

  test("are those that there are, where what is missing is optional", async () => {
    const items = [
      { key: "no", path: "no" },
      { key: "key", path: "yes" },
    ];
    expect(shown(await secretFiles(context(), { name: "s", items, optional: true }))).toEqual({
      yes: "644 secret",
    });
    expect(await secretFiles(context(), { name: "no", items, optional: true })).toEqual([]);
    expect(await configMapFiles(context(), { name: "no", optional: true })).toEqual([]);
  });
});

test("the downward API's files hold fields of the Pod and resources of its containers", () => {
  const items = [
    { path: "name", fieldRef: { fieldPath: "metadata.name" } },
    {
      path: "cpu",
      resourceFieldRef: { containerName: "a", resource: "limits.cpu", divisor: "0" },
      mode: 0o400,
    },
  ];
  expect(shown(downwardFiles(context(), { items }, 0o640))).toEqual({ name: "640 p", cpu: "400 2" });
});

describe("a token", () => {
  const source = (more: object = {}) => ({ sources: [{ serviceAccountToken: { path: "token", ...more } }] });
  const tokenOf = async (more: object = {}, spec: object = {}) =>
    shown(await projectedFiles(context(spec), source(more)))["token"];

  test("is for the Pod's account and bound to the Pod", async () => {
    expect(await tokenOf({}, { serviceAccountName: "robot" })).toBe("644 robot/token 1");
    expect(await tokenOf({ audience: "vault", expirationSeconds: 600 })).toBe("644 default/token 2");
    const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p", uid: "u1" };
    expect(requests.map(({ spec }) => spec)).toEqual([
      { audiences: [], expirationSeconds: 3600, boundObjectRef },
      { audiences: ["vault"], expirationSeconds: 600, boundObjectRef },
    ]);
  });

  test("is kept for four fifths of its life, each audience its own", async () => {
    await tokenOf();
    await tokenOf({ audience: "vault" });
    await clock.advance(3600 * 800 - 1);
    expect([await tokenOf(), await tokenOf({ audience: "vault" })]).toEqual([
      "644 default/token 1",
      "644 default/token 2",
    ]);
    await clock.advance(1);
    expect(await tokenOf()).toBe("644 default/token 3");
  });

  test("is forgotten with its Pod", async () => {
    await tokenOf();
    forgetTokens(node, "u");
    expect(await tokenOf()).toBe("644 default/token 1");
    forgetTokens(node, "u1");
    expect(await tokenOf()).toBe("644 default/token 2");
  });

  test("stands beside the other sources of its volume, which share a mode of their own", async () => {
    const sources = [
      { configMap: { name: "cm", items: [{ key: "a", path: "a" }] } },
      { secret: { name: "s" } },
      { downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
      { serviceAccountToken: { path: "token" } },
    ];
    expect(shown(await projectedFiles(context(), { sources, defaultMode: 0o400 }))).toEqual({
      a: "400 text",
      key: "400 secret",
      name: "400 p",
      token: "400 default/token 1",
    });
  });

  const user = (runAsUser: number) => ({ securityContext: { runAsUser } });
  test.each([
    ["the mode of the volume", {}, 0o644, undefined],
    ["the user that all containers have", user(7), 0o600, 7],
    ["no user when the containers differ", { containers: [{ name: "a", ...user(1) }, { name: "b" }] }, 0o644],
    ["the group's right later", { securityContext: { fsGroup: 5 } }, 0o600],
  ])("gets %s", async (_, spec, mode, owner?: number) => {
    const [file] = await projectedFiles(context(spec), source());
    expect([file?.mode, file?.user]).toEqual([mode, owner]);
  });

  test("is not replaced by nothing where a source is not supported", async () => {
    const sources = [{ clusterTrustBundle: { name: "roots", path: "roots" } }];
    await expect(projectedFiles(context(), { sources })).rejects.toThrow(
      "projection of ClusterTrustBundles is not supported in this node",
    );
  });
});
