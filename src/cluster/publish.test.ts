import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { adminKubeconfig } from "./kubeconfig.ts";
import { publishKubeconfig, withdrawKubeconfig } from "./publish.ts";
import { useDirectory } from "./temporary-directory.suite.ts";
import { userKubeconfigPath } from "./user-kubeconfig.ts";

const own = useDirectory();
beforeEach(() => {
  vi.stubEnv("KUBECONFIG", own.in("home/config"));
  vi.stubEnv("SUDO_UID", undefined);
  vi.stubEnv("SUDO_GID", undefined);
});
afterEach(() => vi.unstubAllEnvs());

const configOf = (name: string, ca = `CA of ${name}`) =>
  adminKubeconfig("https://127.0.0.1:6443", ca, { certificate: "certificate", key: "the key" }, name);
const read = (path: string) => readFileSync(path, "utf8");
const key = Buffer.from("the key").toString("base64");
const theirs = `# mine
apiVersion: v1
kind: Config
clusters: []
users: []
contexts:
  - name: work
    context: {cluster: work, user: me}
current-context: work
`;

describe("a cluster's kubeconfig", () => {
  test("is a file of the user's alone, and the cluster's directory remembers it without its key", () => {
    const path = own.in("somewhere/kubeconfig");
    expect(publishKubeconfig(own.path, configOf("knarr"), { path, merge: false })).toBeUndefined();
    expect(JSON.parse(read(path))).toEqual(configOf("knarr"));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(read(own.in("published.json"))).not.toContain(key);
    expect(existsSync(own.in("home/config"))).toBe(false);
    withdrawKubeconfig(own.path);
    expect(existsSync(path)).toBe(false);
  });

  test("is merged into the user's own when asked to, and taken out of it again", () => {
    publishKubeconfig(own.path, configOf("knarr"), { path: own.in("k"), merge: false });
    writeFileSync(own.in("config"), theirs);
    vi.stubEnv("KUBECONFIG", own.in("config"));
    const merged = publishKubeconfig(own.path, configOf("knarr"), { path: own.in("k"), merge: true });
    expect(merged).toBe(own.in("config"));
    expect(read(own.in("config"))).toMatch(/^# mine\n/);
    expect(read(own.in("config"))).toContain("current-context: knarr");
    expect(read(own.in("config"))).toContain(key);
    withdrawKubeconfig(own.path);
    expect(read(own.in("config"))).toContain("name: work");
    expect(read(own.in("config"))).not.toContain("knarr");
  });

  test("that was merged once is kept up to date at each start, and does not become current again", () => {
    writeFileSync(own.in("config"), theirs);
    vi.stubEnv("KUBECONFIG", own.in("config"));
    const options = { path: own.in("k") };
    publishKubeconfig(own.path, configOf("knarr"), { ...options, merge: true });
    writeFileSync(
      own.in("config"),
      read(own.in("config")).replace("current-context: knarr", "current-context: work"),
    );
    // The next start is by another user's environment.
    vi.stubEnv("KUBECONFIG", own.in("elsewhere"));
    expect(publishKubeconfig(own.path, configOf("knarr", "another CA"), { ...options, merge: false })).toBe(
      own.in("config"),
    );
    const authority = Buffer.from("another CA").toString("base64");
    expect(read(own.in("config"))).toContain(authority);
    expect(read(own.in("config"))).toContain("current-context: work");
    expect(existsSync(own.in("elsewhere"))).toBe(false);
  });

  test("is left alone where it is another cluster's by now", () => {
    writeFileSync(own.in("config"), theirs);
    vi.stubEnv("KUBECONFIG", own.in("config"));
    const other = configOf("knarr", "another cluster's CA");
    for (const name of ["one", "two"]) mkdirSync(own.in(name));
    publishKubeconfig(own.in("one"), configOf("knarr"), { path: own.in("k"), merge: true });
    publishKubeconfig(own.in("two"), other, { path: own.in("k"), merge: true });
    withdrawKubeconfig(own.in("one"));
    expect(JSON.parse(read(own.in("k")))).toEqual(other);
    expect(read(own.in("config"))).toContain(Buffer.from("another cluster's CA").toString("base64"));
  });

  test("that was never published, or is gone, is withdrawn without an error", () => {
    withdrawKubeconfig(own.path);
    publishKubeconfig(own.path, configOf("knarr"), { path: own.in("k"), merge: true });
    rmSync(own.in("k"));
    rmSync(own.in("home/config"));
    withdrawKubeconfig(own.path);
    expect(existsSync(own.in("home/config"))).toBe(false);
  });
});

describe("the user's own kubeconfig", () => {
  const merge = () => publishKubeconfig(own.path, configOf("knarr"), { path: own.in("k"), merge: true });

  test.each([
    ["the only one that is named", ["a"], [], "a"],
    ["the first that is there", ["a", "b", "c"], ["b", "c"], "b"],
    ["the last where none is there", ["a", "b"], [], "b"],
  ])("is %s", (_, named, present, expected) => {
    for (const name of present) writeFileSync(own.in(name), "");
    vi.stubEnv("KUBECONFIG", named.map((name) => own.in(name)).join(":"));
    expect(userKubeconfigPath()).toBe(own.in(expected));
  });

  test("is changed behind a link, with its mode for the user alone", () => {
    writeFileSync(own.in("real"), theirs, { mode: 0o644 });
    symlinkSync("real", own.in("link"));
    vi.stubEnv("KUBECONFIG", own.in("link"));
    merge();
    expect(read(own.in("real"))).toContain("knarr");
    expect(read(own.in("link"))).toBe(read(own.in("real")));
    expect(statSync(own.in("real")).mode & 0o777).toBe(0o600);
  });

  test("that another program changes just now is left alone, and so is its lock", () => {
    writeFileSync(own.in("config"), theirs);
    writeFileSync(own.in("config.lock"), "");
    vi.stubEnv("KUBECONFIG", own.in("config"));
    expect(merge).toThrow(
      `Cannot change the kubeconfig ${own.in("config")}: another program is changing it; if none is, remove ${own.in("config.lock")}`,
    );
    expect(read(own.in("config"))).toBe(theirs);
    expect(existsSync(own.in("config.lock"))).toBe(true);
  });

  test.each([
    ["clusters: {}\n", "clusters is not a list"],
    ["- a\n", "it is not a mapping"],
    ["a: [\n", "it is not YAML"],
  ])("that is none, as %j, stays as it is", (text, why) => {
    writeFileSync(own.in("config"), text);
    vi.stubEnv("KUBECONFIG", own.in("config"));
    expect(merge).toThrow(why);
    expect(read(own.in("config"))).toBe(text);
    expect(existsSync(own.in("config.lock"))).toBe(false);
  });
});
