import { describe, expect, test } from "vitest";
import { Keyring } from "./keyring.ts";

function keyring(auths: Readonly<Record<string, string>>): Keyring {
  const ring = new Keyring();
  const entries = Object.entries(auths).map(([key, user]) => [
    key,
    { auth: Buffer.from(`${user}:pass:word`).toString("base64") },
  ]);
  ring.addConfigJson(Buffer.from(JSON.stringify({ auths: Object.fromEntries(entries) })));
  return ring;
}

describe("keyring", () => {
  test.each([
    ["https://index.docker.io/v1/", "busybox"],
    ["registry.test", "registry.test/a/b:v1"],
    ["registry.test/a", "registry.test/a/b:v1"],
    ["https://registry.test/v2/", "registry.test/a"],
    ["*.registry.test", "eu.registry.test/a"],
    ["e*u.*.test:5000", "eabu.registry.test:5000/a"],
  ])("%s is for %s", (key, image) => {
    expect(keyring({ [key]: "me" }).lookup(image)).toEqual([{ username: "me", password: "pass:word" }]);
  });

  test.each([
    ["registry.test", "other.test/a"],
    ["registry.test", "busybox"],
    ["registry.test/b", "registry.test/a/b"],
    ["registry.test:5000", "registry.test/a"],
    ["*.test", "eu.registry.test/a"],
    ["a*a.test", "a.test/x"],
    ["*.registry.test", "registry.test/a"],
  ])("%s is not for %s", (key, image) => {
    expect(keyring({ [key]: "me" }).lookup(image)).toEqual([]);
  });

  test("the longest key is first", () => {
    const ring = keyring({ "r.test": "all", "r.test/team/app": "app", "r.test/team": "team" });
    expect(ring.lookup("r.test/team/app").map(({ username }) => username)).toEqual(["app", "team", "all"]);
  });

  test("older configurations, and users and passwords by name, are read; others are refused", () => {
    const ring = new Keyring();
    ring.addConfig(Buffer.from(JSON.stringify({ "r.test": { username: "u", password: "p" } })));
    expect(ring.lookup("r.test/a")).toEqual([{ username: "u", password: "p" }]);
    expect(() => ring.addConfigJson(Buffer.from("{"))).toThrow(SyntaxError);
    const bad = { auths: { "r.test": { auth: Buffer.from("no colon").toString("base64") } } };
    expect(() => ring.addConfigJson(Buffer.from(JSON.stringify(bad)))).toThrow("is not username:password");
  });
});
