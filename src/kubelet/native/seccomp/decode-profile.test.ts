import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../../meta/component-configuration.ts";
import { decodeProfile } from "./decode-profile.ts";
import { limits } from "./validation.ts";

const decode = (json: unknown) =>
  decodeProfile(Buffer.from(typeof json === "string" ? json : JSON.stringify(json)));
const defaultAction = "SCMP_ACT_ERRNO";
const action = "SCMP_ACT_ALLOW";
const withRule = (rule: object) => ({ defaultAction, syscalls: [{ names: ["read"], action, ...rule }] });
const withArgument = (argument: object) =>
  withRule({ args: [{ index: 0, value: 1, op: "SCMP_CMP_EQ", ...argument }] });
const many = <T>(count: number, one: T) => Array.from({ length: count }, () => one);

describe("decoding a profile", () => {
  test("the form of the runtime specification", () => {
    const profile = decode({
      defaultAction,
      defaultErrnoRet: 13,
      architectures: ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86"],
      flags: ["SECCOMP_FILTER_FLAG_LOG"],
      syscalls: [
        {
          names: ["socket", "accept"],
          action,
          errnoRet: 2,
          args: [{ index: 1, value: 5, valueTwo: 6, op: "SCMP_CMP_MASKED_EQ" }],
        },
        { names: ["read"], action: "SCMP_ACT_KILL" },
      ],
    });
    expect(profile).toEqual({
      defaultAction,
      defaultErrnoRet: 13,
      architectures: ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86"],
      archMap: [],
      flags: ["SECCOMP_FILTER_FLAG_LOG"],
      syscalls: [
        {
          names: ["socket", "accept"],
          action,
          errnoRet: 2,
          args: [{ index: 1, value: 5n, valueTwo: 6n, op: "SCMP_CMP_MASKED_EQ" }],
        },
        { names: ["read"], action: "SCMP_ACT_KILL", args: [] },
      ],
    });
  });

  test("Docker's form", () => {
    const profile = decode({
      defaultAction,
      archMap: [{ architecture: "SCMP_ARCH_X86_64", subArchitectures: ["SCMP_ARCH_X86"] }],
      syscalls: [
        {
          name: "ptrace",
          action,
          comment: "ignored",
          includes: { minKernel: "4.8", caps: ["CAP_SYS_PTRACE"] },
          excludes: { arches: ["s390"] },
        },
      ],
    });
    expect(profile.archMap).toEqual([
      { architecture: "SCMP_ARCH_X86_64", subArchitectures: ["SCMP_ARCH_X86"] },
    ]);
    expect(profile.syscalls).toEqual([
      {
        names: ["ptrace"],
        action,
        args: [],
        includes: { caps: ["CAP_SYS_PTRACE"], arches: [], minKernel: { kernel: 4, major: 8 } },
        excludes: { caps: [], arches: ["s390"] },
      },
    ]);
  });

  test.each<[string, bigint]>([
    ["0", 0n],
    ["9007199254740993", 9007199254740993n],
    ["9223372036854775808", 2n ** 63n],
    ["18446744073709551615", 2n ** 64n - 1n],
  ])("the value %s is exact", (text, value) => {
    const json = JSON.stringify(withArgument({})).replace('"value":1', `"value":${text}`);
    expect(decode(json).syscalls[0]?.args?.[0]?.value).toBe(value);
    const second = json.replace(`"value":${text}`, `"value":1,"valueTwo":${text}`);
    expect(decode(second).syscalls[0]?.args?.[0]?.valueTwo).toBe(value);
  });

  test("absent fields are as in Go", () => {
    expect(decode({ defaultAction, flags: null, syscalls: null }).flags).toBeUndefined();
    expect(decode({ defaultAction, flags: [] }).flags).toEqual([]);
    expect(decode(withRule({ args: [{ op: "SCMP_CMP_NE" }] })).syscalls[0]?.args).toEqual([
      { index: 0, value: 0n, valueTwo: 0n, op: "SCMP_CMP_NE" },
    ]);
    expect(decode({ defaultAction, unknown: 1, syscalls: [] }).syscalls).toEqual([]);
  });

  test.each<[unknown, string]>([
    ["", "Unexpected end of JSON input"],
    ["[1 2]", "Expected ',' or ']' after array element"],
    ["[]", "json: cannot unmarshal array into Go value of type specs.LinuxSeccomp"],
    [{}, "defaultAction: Required value"],
    [
      { defaultAction, syscalls: {} },
      "json: cannot unmarshal object into Go struct field LinuxSeccomp.syscalls of type []specs.LinuxSyscall",
    ],
    [
      withArgument({ index: "0" }),
      "json: cannot unmarshal string into Go struct field LinuxSeccompArg.syscalls.args.index of type int64",
    ],
    [
      { defaultAction: "SCMP_ACT_DENY" },
      'defaultAction: Unsupported value: "SCMP_ACT_DENY": supported values:',
    ],
    [{ defaultAction: "constructor" }, 'defaultAction: Unsupported value: "constructor"'],
    [{ defaultAction: "SCMP_ACT_NOTIFY" }, "defaultAction: Forbidden: this runtime has no seccomp agents"],
    [
      withRule({ action: "SCMP_ACT_NOTIFY" }),
      "syscalls[0].action: Forbidden: this runtime has no seccomp agents",
    ],
    [
      { defaultAction, listenerPath: "/run/agent.sock" },
      "listenerPath: Forbidden: this runtime has no seccomp agents",
    ],
    [
      { defaultAction, flags: ["SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV"] },
      "flags[0]: Forbidden: this runtime has no seccomp agents",
    ],
    [
      { defaultAction, flags: ["LOG"] },
      'flags[0]: Unsupported value: "LOG": supported values: "SECCOMP_FILTER_FLAG_TSYNC", "SECCOMP_FILTER_FLAG_LOG", "SECCOMP_FILTER_FLAG_SPEC_ALLOW"',
    ],
    [{ defaultAction, architectures: ["amd64"] }, 'architectures[0]: Unsupported value: "amd64"'],
    [
      { defaultAction, archMap: [{ architecture: "SCMP_ARCH_X86", subArchitectures: ["x"] }] },
      'archMap[0].subArchitectures[0]: Unsupported value: "x"',
    ],
    [
      { defaultAction, architectures: ["SCMP_ARCH_X86"], archMap: [{ architecture: "SCMP_ARCH_X86" }] },
      "archMap: Forbidden: both 'architectures' and 'archMap' are specified in the seccomp profile, use either 'architectures' or 'archMap'",
    ],
    [
      withRule({ name: "write" }),
      "syscalls[0].name: Forbidden: both 'name' and 'names' are specified in the seccomp profile, use either 'name' or 'names'",
    ],
    [withRule({ names: [""] }), "syscalls[0].names[0]: Required value"],
    [withRule({ action: undefined }), "syscalls[0].action: Required value"],
    [
      withRule({ errnoRet: -1 }),
      "syscalls[0].errnoRet: Invalid value: -1: must be between 0 and 65535, inclusive",
    ],
    [withRule({ errnoRet: 65536 }), "syscalls[0].errnoRet: Invalid value: 65536"],
    [{ defaultAction, defaultErrnoRet: 70000 }, "defaultErrnoRet: Invalid value: 70000"],
    [
      withArgument({ index: 6 }),
      "syscalls[0].args[0].index: Invalid value: 6: must be between 0 and 5, inclusive",
    ],
    [
      withArgument({ value: -1 }),
      "syscalls[0].args[0].value: Invalid value: -1: must be an integer between 0 and 18446744073709551615, inclusive",
    ],
    [withArgument({ value: 1.5 }), "syscalls[0].args[0].value: Invalid value: 1.5"],
    [withArgument({ valueTwo: "1" }), 'syscalls[0].args[0].valueTwo: Invalid value: "string"'],
    [
      JSON.stringify(withArgument({})).replace('"value":1', '"value":18446744073709551616'),
      "syscalls[0].args[0].value: Invalid value: 18446744073709551616",
    ],
    [withArgument({ op: "EQ" }), 'syscalls[0].args[0].op: Unsupported value: "EQ"'],
    [withArgument({ op: undefined }), "syscalls[0].args[0].op: Required value"],
    [withRule({ includes: { minKernel: "4" } }), 'syscalls[0].includes.minKernel: Invalid value: "4"'],
    [
      withRule({ includes: { minKernel: "4.8.1" } }),
      'syscalls[0].includes.minKernel: Invalid value: "4.8.1"',
    ],
    [
      withRule({ excludes: { minKernel: "256.0" } }),
      'syscalls[0].excludes.minKernel: Invalid value: "256.0"',
    ],
    [withRule({ includes: { minKernel: "0.0" } }), "syscalls[0].includes.minKernel: Invalid value"],
  ])("%j is refused", (json, message) => {
    expect(() => decode(json)).toThrow(ConfigurationError);
    expect(() => decode(json)).toThrow(message);
  });
});

describe("the bounds of a profile", () => {
  test.each<[string, unknown, string]>([
    ["a large file", " ".repeat(limits.fileBytes + 1), "the seccomp profile is larger than 262144 bytes"],
    ["many values", `[${"1,".repeat(70_000)}1]`, "limit is 65536 values"],
    ["deep nesting", "[".repeat(2000), "exceeded max depth"],
    [
      "many rules",
      { defaultAction, syscalls: many(1025, {}) },
      "syscalls: Too many: 1025: must have at most 1024 items",
    ],
    ["many names", withRule({ names: many(4097, "a") }), "syscalls[0].names: Too many: 4097"],
    [
      "many conditions of one rule",
      withRule({ args: many(33, { op: "SCMP_CMP_EQ" }) }),
      "syscalls[0].args: Too many: 33",
    ],
    [
      "many conditions in all",
      withRule({ names: many(257, "read"), args: many(4, { op: "SCMP_CMP_EQ" }) }),
      "syscalls: Too many: 1028: must have at most 1024 items",
    ],
    [
      "a long name",
      withRule({ names: ["x".repeat(65)] }),
      "syscalls[0].names[0]: Too long: may not be more than 64 bytes",
    ],
    ["a long action", { defaultAction: "x".repeat(65) }, "defaultAction: Too long"],
    [
      "a long version",
      withRule({ includes: { minKernel: "1".repeat(65) } }),
      "syscalls[0].includes.minKernel: Too long",
    ],
    [
      "many capabilities",
      withRule({ includes: { caps: many(65, "CAP_KILL") } }),
      "syscalls[0].includes.caps: Too many: 65",
    ],
    ["many flags", { defaultAction, flags: many(65, "x") }, "flags: Too many: 65"],
  ])("%s is refused", (_, json, message) => {
    expect(() => decode(json)).toThrow(ConfigurationError);
    expect(() => decode(json)).toThrow(message);
  });

  test("a number of many digits is not repeated in a message", () => {
    const json = JSON.stringify(withArgument({})).replace('"value":1', `"value":${"9".repeat(100_000)}`);
    const refused = /^syscalls\[0\]\.args\[0\]\.value: Invalid value: .{1,10}: must be an integer between/;
    expect(() => decode(json)).toThrow(refused);
  });

  test("a message lists ten problems", () => {
    let message = "";
    try {
      decode({ defaultAction, syscalls: many(1024, { action: "x" }) });
    } catch (error) {
      message = String(error);
    }
    expect(message.match(/syscalls\[\d+\]/g)).toHaveLength(10);
  });
});
