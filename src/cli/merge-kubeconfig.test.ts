import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Kubeconfig } from "../client/kubeconfig.ts";
import { mergeKubeconfig, removeFromKubeconfig } from "./merge-kubeconfig.ts";

const long = "A".repeat(400);
function config(server: string, ca = long): Kubeconfig {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "knarr-dev", cluster: { server, "certificate-authority-data": ca } }],
    users: [{ name: "knarr-dev-admin", user: { "client-key-data": long } }],
    contexts: [{ name: "knarr-dev", context: { cluster: "knarr-dev", user: "knarr-dev-admin" } }],
    "current-context": "knarr-dev",
  };
}

const own = `# My clusters
apiVersion: v1
kind: Config
clusters:
  - name: work # the one that counts
    cluster: {server: "https://work"}
users: []
contexts:
  - name: work
    context:
      cluster: work
      user: me
      extensions: [1, 2]
current-context: work
preferences: {}
`;

describe("merging a kubeconfig", () => {
  it("keeps everything else, including comments", () => {
    const merged = mergeKubeconfig(own, config("https://a"), true);
    for (const text of ["# My clusters\n", "name: work # the one that counts", "extensions: [ 1, 2 ]"])
      expect(merged).toContain(text);
    expect(parse(merged)).toMatchObject({
      "current-context": "knarr-dev",
      clusters: [{ name: "work" }, { name: "knarr-dev", cluster: { server: "https://a" } }],
      users: [{ name: "knarr-dev-admin" }],
      preferences: {},
    });
    expect(merged).toContain(`client-key-data: ${long}\n`);
  });

  it("replaces entries of the same names, and keeps the current context on request", () => {
    const first = mergeKubeconfig(own, config("https://a"), false);
    const second = mergeKubeconfig(first, config("https://b"), false);
    expect(second).toBe(first.replace("https://a", "https://b"));
    expect(parse(second)).toMatchObject({ "current-context": "work" });
  });

  it("is undone by removal", () => {
    const merged = mergeKubeconfig(own, config("https://a"), true);
    const removed = removeFromKubeconfig(merged, config("https://a"));
    expect(parse(removed)).toEqual({ ...(parse(own) as object), "current-context": "" });
    expect(removed).toContain("# the one that counts");
  });

  it("leaves another cluster's entries of the same names", () => {
    const merged = mergeKubeconfig(own, config("https://a", "another"), true);
    expect(removeFromKubeconfig(merged, config("https://a"))).toBe(merged);
  });

  it.each(["", "# nothing yet\n", "clusters:\ncontexts: null\n", '{"clusters": [], "kind": "Config"}'])(
    "begins with %j",
    (text) => {
      const merged = mergeKubeconfig(text, config("https://a"), false);
      expect(parse(merged)).toMatchObject(config("https://a"));
    },
  );

  it.each([
    ["a: [", "it is not YAML"],
    ["[]", "it is not a mapping"],
    ["clusters: 1", "clusters is not a list"],
  ])("refuses %j", (text, message) => {
    expect(() => mergeKubeconfig(text, config("https://a"), true)).toThrow(message);
  });
});
