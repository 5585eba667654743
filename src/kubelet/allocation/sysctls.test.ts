import { describe, expect, test } from "vitest";
import { aPod } from "./builders.suite.ts";
import { checkSysctlPatterns, sysctlRefusal } from "./sysctls.ts";

const refusal = (name: string, more: object = {}, allowed: readonly string[] = []) => {
  const spec = { securityContext: { sysctls: [{ name, value: "1" }] }, ...more };
  return sysctlRefusal(aPod("p", {}, { spec }), allowed)?.message;
};

describe("a Pod's sysctl", () => {
  test.each<readonly [string, object, readonly string[], string | undefined]>([
    ["net.ipv4.tcp_syncookies", {}, [], undefined],
    ["net/ipv4/tcp_syncookies", {}, [], undefined],
    ["kernel.shm_rmid_forced", {}, [], undefined],
    ["net.core.somaxconn", {}, [], '"net.core.somaxconn" not allowlisted'],
    ["net.core.somaxconn", {}, ["net.core.*"], undefined],
    ["net.core.somaxconn", {}, ["net.core.somaxconn"], undefined],
    ["kernel.core_pattern", {}, [], '"kernel.core_pattern" not allowlisted'],
    ["kernel.core_pattern", {}, ["kernel.core_pattern"], '"kernel.core_pattern" not allowlisted'],
    ["kernel/core_pattern", {}, [], '"kernel.core_pattern" not allowlisted'],
    [
      "kernel.msgmax",
      { hostIPC: true },
      ["kernel.msg*"],
      '"kernel.msgmax" not allowed with host IPC enabled',
    ],
    ["net.ipv4.tcp_rmem", { hostNetwork: true }, [], '"net.ipv4.tcp_rmem" not allowed with host Net enabled'],
  ])("%s with %j, where %j are allowed", (name, spec, allowed, why) => {
    expect(refusal(name, spec, allowed)).toBe(why && `forbidden sysctl: ${why}`);
  });
});

test.each([
  [["net.*", "kernel.shm*", "net.ipv4.conf.eth0.forwarding"], undefined],
  [["kernel.core_pattern"], 'the sysctls "kernel.core_pattern" are not known to be namespaced'],
  [["*"], 'the sysctls "" are not known to be namespaced'],
  [["net..core"], 'sysctl "net..core" must have at most 253 characters'],
])("the allowed sysctls %j are checked", (patterns, why) => {
  const check = () => checkSysctlPatterns(patterns);
  if (why === undefined) check();
  else expect(check).toThrow(why);
});
