import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
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
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { launchPlan } from "./init-plan.ts";
import { initProgram } from "./init-program.ts";
import { pipeSocket } from "./pipe-socket.ts";

const cannotRun = process.platform !== "linux" || !["x64", "arm64"].includes(process.arch);
const command = {
  argv: ["sh", "-c", "id"],
  env: ["PATH=/bin", "A=b"],
  cwd: "/tmp",
  credentials: { uid: 1, gid: 2, groups: [2, 3], noNewPrivileges: true, bounding: ["chown", "kill"] },
  stopSignal: "SIGTERM",
};

describe("the plan of a launch", () => {
  test("drops privileges before the command, and its words are all that the command gets", () => {
    const words = launchPlan(command, { seccomp: undefined, terminal: true })
      .toString()
      .split("\0")
      .join(" ");
    expect(words).toBe(
      "terminal keyring directory /tmp bounding 21 groups 2 2 3 gid 2 uid 1 no-inheritable no-new-privileges " +
        "env PATH=/bin env A=b arg sh arg -c arg id exec ",
    );
  });

  test("keeps all capabilities of a process without a bounding set", () => {
    const credentials = { uid: 0, gid: 0, groups: [], noNewPrivileges: false };
    const plan = launchPlan({ ...command, credentials }, { seccomp: undefined, terminal: false }).toString();
    expect(plan).not.toMatch(/bounding|terminal|no-new-privileges/);
  });

  test("loads a filter last, unless loading it takes the privileges that are dropped", () => {
    const seccomp = { flags: 4, program: "00" };
    const wordsOf = (noNewPrivileges: boolean) => {
      const credentials = { uid: 1, gid: 1, groups: [], noNewPrivileges };
      return launchPlan({ ...command, credentials }, { seccomp, terminal: false })
        .toString()
        .replaceAll("\0", " ");
    };
    expect(wordsOf(true)).toContain("uid 1 no-inheritable no-new-privileges seccomp 4 00 env");
    expect(wordsOf(false)).toContain("directory /tmp seccomp 4 00 groups 0");
  });

  test.each([{ argv: ["a", "b\0exec"] }, { env: ["A=\0"] }, { cwd: "/\0" }])(
    "refuses a zero byte, which would begin another word: %j",
    (more) => {
      expect(() => launchPlan({ ...command, ...more }, { seccomp: undefined, terminal: false })).toThrow(
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

  /** Runs a plan; resolves to what the program and its command wrote, and how they ended. */
  async function run(plan: string | readonly string[]) {
    const file = join(directory, "plan");
    writeFileSync(file, typeof plan === "string" ? plan : plan.map((word) => `${word}\0`).join(""));
    const input = openSync(file, "r");
    const leak = openSync("/dev/null", "r");
    try {
      const stdio = ["ignore", "pipe", "pipe", "pipe", input, leak] as const;
      const child: ChildProcess = spawn(initProgram, [], { stdio: [...stdio], env: { OUTSIDE: "1" } });
      const [status = "", output = "", errors = ""] = await Promise.all(
        [child.stdio[3], child.stdout, child.stderr].map((stream) => text(pipeSocket(stream))),
      );
      if (child.exitCode === null) await once(child, "exit");
      return { status, output, errors, code: child.exitCode };
    } finally {
      closeSync(input);
      closeSync(leak);
    }
  }

  const shell = (script: string, ...args: readonly string[]) =>
    [
      "env PATH=/usr/bin:/bin",
      "arg sh",
      "arg -c",
      `arg ${script}`,
      "arg name",
      ...args.map((one) => `arg ${one}`),
    ]
      .flatMap((line) => [line.slice(0, 3), line.slice(4)])
      .concat("exec");

  test("runs the command with the plan's words, environment and directory, and nothing else", async () => {
    const script = 'printf "%s|" "$0" "$@"; env; pwd; exit 7';
    const found = await run(["directory", directory, "env", "A=b\nc", ...shell(script, "a b", "")]);
    expect(found).toMatchObject({ status: "started\n", errors: "", code: 7 });
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

  test("finds a command in the folders of the plan's PATH, in their order", async () => {
    const folders = ["one", "two"].map((name) => {
      const folder = join(directory, name);
      mkdirSync(folder);
      writeFileSync(join(folder, "tool"), `#!/bin/sh\necho ${name}\n`, { mode: 0o755 });
      return folder;
    });
    chmodSync(join(folders[0] ?? "", "tool"), 0o644);
    const { output } = await run(["env", `PATH=${folders.join(":")}`, "arg", "tool", "exec"]);
    expect(output).toBe("two\n");
  });

  test.each<[string, string | readonly string[], RegExp]>([
    ["nothing", "", /has no end/],
    ["half a word", "keyring\0exec", /has no end/],
    ["an operation without its arguments", ["directory"], /ends within an operation/],
    ["no end", ["env", "A=b"], /ends within an operation/],
    ["an unknown operation", ["mount", "/"], /unknown operation: mount/],
    ["no command", ["exec"], /no command/],
    ["a negative number", ["uid", "-1"], /bad number: -1/],
    ["a number of more than 32 bits", ["gid", "4294967296"], /bad number/],
    ["too many groups", ["groups", "65537"], /bad number/],
    ["a filter of half an instruction", ["seccomp", "0", "0600"], /bad seccomp filter/],
    ["a filter of other characters", ["seccomp", "0", "06000000000000zz"], /bad seccomp filter/],
    ["more than 16 MiB", `env\0${"x".repeat(17 << 20)}\0exec\0`, /larger than/],
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
    expect(status).toBe("started\n");
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
