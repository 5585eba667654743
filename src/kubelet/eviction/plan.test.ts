import { describe, expect, test } from "vitest";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { decode } from "../../meta/decode.ts";
import { evictionMessage, limitsStorage } from "./plan.ts";

const Mi = 1 << 20;

function aPod(spec: object): Pod {
  const fields = { metadata: { name: "p" }, spec: { containers: [{ name: "a" }], ...spec } };
  return { apiVersion: "v1", kind: "Pod", ...decode(pods.schema, fields) };
}

const limited = (name: string, limit?: string, more: object = {}) => ({
  name,
  ...(limit === undefined ? {} : { resources: { limits: { "ephemeral-storage": limit } } }),
  ...more,
});
const scratch = (sizeLimit: string) => ({ volumes: [{ name: "scratch", emptyDir: { sizeLimit } }] });

function usage(emptyDir: number, containers: Readonly<Record<string, number>> = {}, other = 0) {
  return {
    emptyDirs: new Map([["scratch", emptyDir]]),
    containers: new Map(Object.entries(containers)),
    other,
  };
}

const emptyDirMessage = 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ';
const containerMessage = 'Container a exceeded its local ephemeral storage limit "1Mi". ';
const podMessage = (limit: string) =>
  `Pod ephemeral local storage usage exceeds the total limit of containers ${limit}. `;

describe("local storage eviction", () => {
  test.each([
    ["no limit", {}, usage(9 * Mi, { a: 9 * Mi }), undefined],
    ["an emptyDir at its limit", scratch("1Mi"), usage(Mi), undefined],
    ["an emptyDir above its limit", scratch("1Mi"), usage(Mi + 1), emptyDirMessage],
    ["an emptyDir with the limit 0, which is none", scratch("0"), usage(Mi), undefined],
    ["an emptyDir that was not measured", scratch("1Mi"), { ...usage(0), emptyDirs: new Map() }, undefined],
    ["a container at its limit", { containers: [limited("a", "1Mi")] }, usage(0, { a: Mi }), undefined],
    [
      "a container above its limit, within the Pod's",
      { containers: [limited("a", "1Mi"), limited("b", "9Mi")] },
      usage(0, { a: Mi + 1 }),
      containerMessage,
    ],
    [
      "a Pod above the sum of its limits by its emptyDirs",
      { containers: [limited("a", "1Mi"), limited("b", "1Mi"), limited("c")] },
      usage(Mi, { a: Mi }, 1),
      podMessage("2Mi"),
    ],
    [
      "a Pod whose init container had more",
      { containers: [limited("a", "1Mi")], initContainers: [limited("i", "4Mi")] },
      usage(3 * Mi),
      undefined,
    ],
    [
      "a Pod above its init container's limit beside a sidecar",
      {
        containers: [limited("a", "1Mi")],
        initContainers: [limited("s", "1Mi", { restartPolicy: "Always" }), limited("i", "4Mi")],
      },
      usage(6 * Mi),
      podMessage("5Mi"),
    ],
    [
      "several limits at once: the emptyDir's counts",
      { ...scratch("1Mi"), containers: [limited("a", "1Mi")] },
      usage(2 * Mi, { a: 2 * Mi }),
      emptyDirMessage,
    ],
    ["a Pod of the system's own", { ...scratch("1Mi"), priority: 2_000_000_000 }, usage(2 * Mi), undefined],
  ])("%s", (_, spec, used, message) => {
    expect(evictionMessage(aPod(spec), used)).toBe(message);
  });

  test("only Pods with a limit are measured", () => {
    expect(limitsStorage(aPod({}))).toBe(false);
    expect(limitsStorage(aPod(scratch("1Mi")))).toBe(true);
    expect(limitsStorage(aPod({ containers: [limited("a", "1Mi")] }))).toBe(true);
    expect(limitsStorage(aPod({ initContainers: [limited("i", "1Mi")] }))).toBe(true);
  });
});
