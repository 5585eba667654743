import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { multiplexedCall, systemCalls, x32Bit, type CallInterface } from "./system-calls.ts";

/** The folders of Go's golang.org/x/sys in the module cache, the newest last. */
function goSysFolders(): readonly string[] {
  const { GOMODCACHE, GOPATH = join(homedir(), "go") } = process.env;
  const parent = join(GOMODCACHE ?? join(GOPATH, "pkg", "mod"), "golang.org", "x");
  if (!existsSync(parent)) return [];
  const minor = (name: string) => Number(/\.(\d+)\./.exec(name)?.[1]);
  return readdirSync(parent)
    .filter((name) => /^sys@v\d+\.\d+\.\d+$/.test(name))
    .sort((a, b) => minor(a) - minor(b))
    .map((name) => join(parent, name, "unix"));
}

/** Entries of Go's tables that are marks in the kernel's headers, not system calls. */
const marks = new Set(["syscall_mask", "arch_specific_syscall"]);

function goNumbers(file: string): Map<string, number> {
  const found = readFileSync(file, "utf8").matchAll(/SYS_(\w+)\s*=\s*(\d+)/g);
  const all = [...found].map(([, name = "", number]) => [name.toLowerCase(), Number(number)] as const);
  return new Map(all.filter(([name]) => !marks.has(name)));
}

function headerNumbers(file: string): Map<string, number> {
  const pattern = /#define __NR_(\w+)\s+(\(__X32_SYSCALL_BIT \+ )?(\d+)/g;
  return new Map(
    [...readFileSync(file, "utf8").matchAll(pattern)].map(([, name = "", bit, number]) => [
      name,
      Number(number) + (bit === undefined ? 0 : x32Bit),
    ]),
  );
}

/** Expects each name of the reference to have its number in the table. */
function expectWithin(of: CallInterface, reference: ReadonlyMap<string, number>): void {
  expect(reference.size).toBeGreaterThan(300);
  const numbers = systemCalls(of);
  const wrong = [...reference].filter(([name, number]) => numbers.get(name) !== number);
  expect(wrong).toEqual([]);
}

const go = goSysFolders().at(-1);
const noGo = go === undefined ? " (skipped: golang.org/x/sys is not in Go's module cache)" : "";
const headers = "/usr/include/x86_64-linux-gnu/asm";
const noHeaders = existsSync(headers) ? "" : ` (skipped: no kernel headers in ${headers})`;

describe("tables of system calls", () => {
  test.skipIf(noGo !== "").each([
    ["x86_64", "amd64"],
    ["x86", "386"],
    ["aarch64", "arm64"],
    ["arm", "arm"],
  ] as const)(`%s has the numbers of golang.org/x/sys${noGo}`, (of, name) => {
    expectWithin(of, goNumbers(join(go ?? "", `zsysnum_linux_${name}.go`)));
  });

  test.skipIf(noHeaders !== "").each([
    ["x86_64", "64"],
    ["x86", "32"],
    ["x32", "x32"],
  ] as const)(`%s has the numbers of the kernel's headers${noHeaders}`, (of, name) => {
    expectWithin(of, headerNumbers(join(headers, `unistd_${name}.h`)));
  });

  test.each<[CallInterface, number, number]>([
    ["x86_64", 385, 471],
    ["x86", 461, 471],
    ["x32", 371, x32Bit + 547],
    ["aarch64", 327, 471],
    ["arm", 430, 0xf0006],
  ])("%s has %i calls, and no number twice", (of, size, last) => {
    const numbers = [...systemCalls(of).values()];
    expect(numbers.length).toBe(size);
    expect(new Set(numbers).size).toBe(size);
    expect(Math.max(...numbers)).toBe(last);
  });

  test.each<[CallInterface, string, number | undefined]>([
    ["x86_64", "read", 0],
    ["x86_64", "clone3", 435],
    ["x86_64", "fcntl64", undefined],
    ["x86", "fcntl64", 221],
    ["x86", "clock_gettime64", 403],
    ["x32", "read", x32Bit],
    ["x32", "ioctl", x32Bit + 514],
    ["x32", "uretprobe", undefined],
    ["aarch64", "open", undefined],
    ["aarch64", "openat", 56],
    ["aarch64", "memfd_secret", 447],
    ["arm", "memfd_secret", undefined],
    ["arm", "set_tls", 0xf0005],
    ["x86_64", "constructor", undefined],
  ])("%s: %s is %s", (of, name, number) => {
    expect(systemCalls(of).get(name)).toBe(number);
  });

  test("32-bit x86 has calls of sockets and of System V IPC by multiplexers", () => {
    expect(multiplexedCall("x86", "socket")).toEqual({ number: 102, selector: 1 });
    expect(multiplexedCall("x86", "sendmmsg")).toEqual({ number: 102, selector: 20 });
    expect(multiplexedCall("x86", "semtimedop")).toEqual({ number: 117, selector: 4 });
    expect(multiplexedCall("x86", "shmctl")).toEqual({ number: 117, selector: 24 });
    expect(multiplexedCall("x86", "read")).toBeUndefined();
    expect(multiplexedCall("arm", "socket")).toBeUndefined();
  });
});
