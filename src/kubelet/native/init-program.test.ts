import { spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeOperations, launchOperations, type Operation } from "./init-plan.ts";
import { initProgram } from "./init-program.ts";
import { pipeSocket } from "./pipe-socket.ts";
import { Spawner } from "./spawner.ts";

const cannotRun = process.platform !== "linux" || !["x64", "arm64"].includes(process.arch);
const command = {
  argv: ["sh", "-c", "id"],
  env: ["PATH=/bin", "A=b"],
  cwd: "/tmp",
  credentials: { uid: 1, gid: 2, groups: [2, 3], noNewPrivileges: true, bounding: ["chown", "kill"] },
  stopSignal: "SIGTERM",
};

const words = (operations: readonly Operation[]) => operations.flat().join(" ");

describe("the operations of a launch", () => {
  test("drop privileges before the command, and their words are all that the command gets", () => {
    expect(words(launchOperations(command, undefined))).toBe(
      "keyring directory /tmp bounding 21 groups 2 2 3 gid 2 uid 1 no-inheritable no-new-privileges " +
        "env PATH=/bin env A=b arg sh arg -c arg id exec",
    );
  });

  test("keep all capabilities of a process without a bounding set", () => {
    const credentials = { uid: 0, gid: 0, groups: [], noNewPrivileges: false };
    const operations = words(launchOperations({ ...command, credentials }, undefined));
    expect(operations).not.toMatch(/bounding|no-new-privileges/);
  });

  test("load a filter last, unless loading it takes the privileges that are dropped", () => {
    const seccomp = { flags: 4, program: "00" };
    const wordsOf = (noNewPrivileges: boolean) => {
      const credentials = { uid: 1, gid: 1, groups: [], noNewPrivileges };
      return words(launchOperations({ ...command, credentials }, seccomp));
    };
    expect(wordsOf(true)).toContain("uid 1 no-inheritable no-new-privileges seccomp 4 00 env");
    expect(wordsOf(false)).toContain("directory /tmp seccomp 4 00 groups 0");
  });

  test.each([{ argv: ["a", "b\0exec"] }, { env: ["A=\0"] }, { cwd: "/\0" }])(
    "with a zero byte, which would begin another word, are refused: %j",
    (more) => {
      expect(() => encodeOperations(launchOperations({ ...command, ...more }, undefined))).toThrow(
        "invalid argument",
      );
    },
  );
});

describe.skipIf(cannotRun)("the init program", () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "knarr-init-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** Runs a plan as a job without a supervisor; resolves to its reports, and to what its command wrote. */
  async function run(plan: string | readonly string[], name = "0\0") {
    const text = typeof plan === "string" ? plan : plan.map((word) => `${word}\0`).join("");
    const leak = openSync("/dev/null", "r");
    const child = spawn(initProgram, [], { stdio: ["pipe", "pipe", "pipe", leak], env: { OUTSIDE: "1" } });
    closeSync(leak);
    const job = Buffer.from(`${name}${text}`);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(job.length);
    const input = pipeSocket(child.stdin);
    input.write(Buffer.concat([size, job]));
    let reports = "";
    for await (const chunk of pipeSocket(child.stdout)) {
      reports += String(chunk);
      if (/^\d+ ended \d+$/m.test(reports)) input.end();
    }
    const [, status = ""] = /^\d+ failed (.*)$/m.exec(reports) ?? [];
    const [, code] = /^\d+ ended (\d+)$/m.exec(reports) ?? [];
    const written = (file: string) => readFileSync(join(directory, file), { encoding: "utf8", flag: "a+" });
    return { status, output: written("output"), errors: written("errors"), code: Number(code) };
  }

  const shell = (script: string, ...args: readonly string[]) =>
    [
      "env PATH=/usr/bin:/bin",
      "arg sh",
      "arg -c",
      `arg exec >"${directory}/output" 2>"${directory}/errors"; ${script}`,
      "arg name",
      ...args.map((one) => `arg ${one}`),
    ]
      .flatMap((line) => [line.slice(0, 3), line.slice(4)])
      .concat("exec");

  test("runs the command with the plan's words, environment and directory, and nothing else", async () => {
    const script = 'printf "%s|" "$0" "$@"; env; pwd; exit 7';
    const found = await run(["directory", directory, "env", "A=b\nc", ...shell(script, "a b", "")]);
    expect(found).toMatchObject({ status: "", errors: "", code: 7 });
    const [words = "", ...lines] = found.output.split(/(?<=\|)(?=[^|]*$)/);
    expect(words).toBe("name|a b||");
    expect(lines.join("").trim().split("\n").sort()).toEqual(
      ["A=b", "c", "PATH=/usr/bin:/bin", `PWD=${directory}`, directory].sort(),
    );
  });

  test("leaves no descriptor open but the standard ones", async () => {
    const { output } = await run(shell("for fd in /proc/self/fd/*; do [ -e $fd ] && echo ${fd##*/}; done"));
    expect(output).toBe("0\n1\n2\n");
  });

  describe("refuses a command that the kernel would refuse, in the words of containerd", () => {
    const made = (name: string, content: string, mode = 0o755) => {
      const path = join(directory, name);
      writeFileSync(path, content);
      chmodSync(path, mode);
      return path;
    };

    test.each<[string, () => string, RegExp]>([
      [
        "a missing file",
        () => "/nonexistent",
        /^exec: "\/nonexistent": stat \/nonexistent: no such file or directory$/,
      ],
      [
        "a name that is in no folder",
        () => "nonsense",
        /^exec: "nonsense": executable file not found in \$PATH$/,
      ],
      ["a file without permission", () => made("f", "#!/bin/sh", 0o644), /^exec: ".*f": permission denied$/],
      ["a folder", () => directory, /permission denied$/],
      [
        "a script without an interpreter",
        () => made("g", "#! /no/shell -e\n"),
        /^exec .*g: no such file or directory$/,
      ],
      ["a text", () => made("h", "text"), /^exec .*h: exec format error$/],
      ["an empty file", () => made("i", ""), /exec format error$/],
    ])("%s", async (_, path, expected) => {
      const found = await run(["env", "PATH=/usr/bin:/bin:", "arg", path(), "exec"]);
      expect(found.code).toBe(128);
      expect(found.status).toMatch(expected);
    });

    test("a missing directory", async () => {
      const { status, code } = await run(["directory", `${directory}/missing`, ...shell("true")]);
      expect(status).toBe(`chdir to cwd ("${directory}/missing") failed: no such file or directory`);
      expect(code).toBe(128);
    });
  });

  test("more than 16 MiB of words are refused, and the next plan is carried out", async () => {
    const spawner = new Spawner({ errorLog: join(directory, "log"), started: async () => {} });
    const long = encodeOperations([["env", "x".repeat(17 << 20)], ["exec"]]);
    expect(await spawner.run(long)).toEqual({ what: "failed", why: "argument list too long" });
    const plan = encodeOperations([["arg", "/bin/true"], ["exec"]]);
    expect(await spawner.run(plan)).toEqual({ what: "ended", code: 0 });
    await spawner.close();
  });

  test("finds a command in the folders of the plan's PATH, in their order", async () => {
    const folders = ["1", "2"].map((name) => {
      const folder = join(directory, name);
      mkdirSync(folder);
      writeFileSync(join(folder, "tool"), `#!/bin/sh\nexit ${name}\n`, { mode: 0o755 });
      return folder;
    });
    chmodSync(join(folders[0] ?? "", "tool"), 0o644);
    const plan = ["env", `PATH=${folders.join(":")}`, "arg", "tool", "exec"];
    expect((await run(plan)).code).toBe(2);
  });

  test.each<[string, string | readonly string[], RegExp]>([
    ["half a word", "keyring\0exec", /has no end/],
    ["an operation without its arguments", ["directory"], /ends within an operation/],
    ["no end", ["env", "A=b"], /ends within an operation/],
    ["an unknown operation", ["mount", "/"], /unknown operation: mount/],
    ["no command", ["exec"], /no command/],
    ["a negative number", ["uid", "-1"], /bad number: -1/],
    ["a number of more than 32 bits", ["gid", "4294967296"], /bad number/],
    ["too many groups", ["groups", "65537"], /bad number/],
    ["a filter of half an instruction", ["seccomp", "0", "0600"], /bad seccomp filter/],
    ["a filter of other characters", ["seccomp", "0", "06000000000000zz"], /bad digits: zz/],
  ])("refuses a plan of %s", async (_, plan, expected) => {
    const { status, code, output } = await run(plan);
    expect({ code, output }).toEqual({ code: 128, output: "" });
    expect(status).toMatch(expected);
  });

  test("a seccomp filter and no_new_privs hold for the command and all that it starts", async () => {
    // Returns EPERM for mkdir and mkdirat, and allows all else, on this machine's architecture.
    const calls = process.arch === "x64" ? [83, 258] : [34];
    const filter = Buffer.concat([
      instruction(0x20, 0, 0, 0), // A = nr
      ...calls.map((call, i) => instruction(0x15, calls.length - i, 0, call)),
      instruction(0x06, 0, 0, 0x7fff_0000), // SECCOMP_RET_ALLOW
      instruction(0x06, 0, 0, 0x0005_0001), // SECCOMP_RET_ERRNO | EPERM
    ]).toString("hex");
    const script = `grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status; mkdir "$1"`;
    const plan = ["no-new-privileges", "seccomp", "0", filter, ...shell(script, join(directory, "new"))];
    const { status, output, errors } = await run(plan);
    expect(status).toBe("");
    expect(output).toBe("NoNewPrivs:\t1\nSeccomp:\t2\n");
    expect(errors).toContain("Operation not permitted");
  });

  test.skipIf(!hasKeys())("each run has a session keyring of its own", async () => {
    const sessions = async (...before: readonly string[]) => {
      const { output } = await run([...before, ...shell("cat /proc/keys")]);
      return [...output.matchAll(/^(\w+) .* keyring +_ses: /gm)].map(([, serial]) => serial);
    };
    const seen = new Set(await sessions());
    for (const _ of [1, 2]) {
      const fresh = (await sessions("keyring")).filter((key) => !seen.has(key));
      expect(fresh).toHaveLength(1);
      for (const key of fresh) seen.add(key); // Those of ended processes stay in view for a moment.
    }
  });
});

test.each([
  ["x64", 62],
  ["arm64", 183],
])("the program for %s is a static one for that machine", (architecture, machine) => {
  const file = readFileSync(join(import.meta.dirname, `../../../native/init/knarr-init-${architecture}`));
  expect(file.subarray(0, 4).toString("latin1")).toBe("\x7fELF");
  expect(file.readUInt16LE(18)).toBe(machine);
  const [table, size, count] = [
    Number(file.readBigUInt64LE(32)),
    file.readUInt16LE(54),
    file.readUInt16LE(56),
  ];
  const types = Array.from({ length: count }, (_, i) => file.readUInt32LE(table + i * size));
  expect(types).not.toContain(3); // PT_INTERP names a loader.
});

/** A `struct sock_filter`. */
function instruction(code: number, jt: number, jf: number, k: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(jt, 2);
  bytes.writeUInt8(jf, 3);
  bytes.writeUInt32LE(k, 4);
  return bytes;
}

function hasKeys(): boolean {
  try {
    return readFileSync("/proc/keys", "utf8") !== "";
  } catch {
    return false;
  }
}
