import { createPrivateKey } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../util/clock.ts";
import { silentLogger } from "../util/logger.ts";
import { systemRandom } from "../util/random.ts";
import { ensurePki } from "./pki.ts";

const env = { clock: systemClock, random: systemRandom, log: silentLogger };
let directory: string;
const ensure = () => ensurePki({ env, directory, serverNames: ["localhost"] });
const path = (name: string) => join(directory, name);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knarr-pki-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

test("keys are the same at the next start", async () => {
  const first = await ensure();
  const { ca, admin, serviceAccount } = await ensure();
  expect({ ca, admin, serviceAccount }).toEqual({
    ca: first.ca,
    admin: first.admin,
    serviceAccount: first.serviceAccount,
  });
});

test("the client's key is in SEC 1 form, even when an earlier version wrote another form", async () => {
  const { admin } = await ensure();
  expect(admin.key).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
  const pkcs8 = createPrivateKey(admin.key).export({ type: "pkcs8", format: "pem" });
  for (const name of ["ca.key", "admin.key"]) {
    const key = createPrivateKey(readFileSync(path(name)));
    writeFileSync(path(name), key.export({ type: "pkcs8", format: "pem" }));
  }
  expect(readFileSync(path("admin.key"), "utf8")).toBe(pkcs8);
  expect((await ensure()).admin).toEqual(admin);
});

test.each([
  ["ca.key", "key"],
  ["ca.crt", "certificate"],
  ["admin.key", "key"],
  ["admin.crt", "certificate"],
  ["sa.key", "key"],
  ["sa.pub", "key"],
])("a truncated %s ends the start, and is not changed", async (name, what) => {
  await ensure();
  truncateSync(path(name), 60);
  await expect(ensure()).rejects.toThrow(`Cannot use ${path(name)}: it holds no whole ${what}; restore it`);
  expect(readFileSync(path(name))).toHaveLength(60);
});

test.each([["ca.key"], ["ca.crt"], ["ca.key", "ca.crt"], ["admin.key"], ["sa.pub"]])(
  "missing files (%s %s) end the start",
  async (...names) => {
    await ensure();
    for (const name of names) rmSync(path(name));
    await expect(ensure()).rejects.toThrow(/it is missing; restore it from a backup/);
  },
);

test("a certificate of another key or authority ends the start", async () => {
  await ensure();
  const own = readFileSync(path("admin.crt"));
  const ca = readFileSync(path("ca.crt"));
  writeFileSync(path("admin.crt"), ca);
  await expect(ensure()).rejects.toThrow("admin.crt: it is not for the key in admin.key");
  writeFileSync(path("admin.crt"), own);
  for (const name of ["ca.crt", "ca.key", "sa.key", "sa.pub"]) rmSync(path(name));
  const [adminKey, adminCrt] = [readFileSync(path("admin.key")), own];
  for (const name of ["admin.crt", "admin.key"]) rmSync(path(name));
  await ensure();
  writeFileSync(path("admin.key"), adminKey);
  writeFileSync(path("admin.crt"), adminCrt);
  await expect(ensure()).rejects.toThrow("admin.crt: the authority in ca.crt has not signed it");
});
