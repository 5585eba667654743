import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nativeUnavailable } from "./native-runtime.ts";
import { hostImageName, useNative } from "./native.suite.ts";

const unavailable = nativeUnavailable();
const title = unavailable === undefined ? "native isolation" : `native isolation: ${unavailable}`;

describe.skipIf(unavailable !== undefined)(title, () => {
  const native = useNative();

  describe("privileges", () => {
    const capabilities =
      "grep -E '^(CapBnd|CapEff|CapInh|CapAmb|NoNewPrivs)' /proc/self/status | tr -d '\\t'";

    test("the default set is the CRI's, and nothing is inheritable", async () => {
      expect(await native.output(capabilities)).toBe(
        "CapInh:0000000000000000\nCapEff:00000000a80425fb\nCapBnd:00000000a80425fb\nCapAmb:0000000000000000\nNoNewPrivs:0",
      );
    });

    test("dropping ALL leaves the added capabilities, and a user other than root has none in effect", async () => {
      const security = {
        dropCapabilities: ["ALL"],
        addCapabilities: ["CHOWN"],
        allowPrivilegeEscalation: false,
      };
      const root = await native.output(capabilities, { security });
      expect(root).toContain("CapEff:0000000000000001");
      expect(root).toContain("NoNewPrivs:1");
      const user = {
        security: { ...security, runAsUser: 1000, runAsGroup: 2000, supplementalGroups: [3000] },
      };
      expect(await native.output(`${capabilities}; id`, user)).toMatch(
        /CapEff:0+\nCapBnd:0+1\n(.|\n)*uid=1000 gid=2000 groups=2000,3000/,
      );
    });

    test("root without a capability cannot use it", async () => {
      const chown = "touch /f && chown 1:1 /f && echo changed || echo refused";
      expect(await native.output(chown)).toBe("changed");
      expect(await native.output(chown, { security: { dropCapabilities: ["CHOWN"] } })).toContain("refused");
    });

    test("an image's user is looked up in the image, and root is refused where the Pod forbids it", async () => {
      const folder = join(native.under.directory, "named");
      await mkdir(join(folder, "etc"), { recursive: true });
      await writeFile(join(folder, "etc/passwd"), "web:x:1234:4321::/srv:/bin/sh\n");
      await writeFile(join(folder, "etc/group"), "web:x:4321:\nextra:x:77:web\n");
      const config = { user: "web" };
      await native.under.images.build({ folder, tag: "knarr.local/named:v1", base: hostImageName, config });
      const image = "knarr.local/named:v1";
      expect(await native.output("id; echo $HOME", { image })).toBe(
        "uid=1234(web) gid=4321(web) groups=4321(web),77(extra)\n/srv",
      );
      expect(await native.output("id -G", { image, security: { supplementalGroupsPolicy: "Strict" } })).toBe(
        "4321",
      );
      const reason = "CreateContainerConfigError";
      const security = { runAsNonRoot: true };
      await expect(native.output("id", { security })).rejects.toMatchObject({ reason });
      await expect(native.output("id", { image, security })).rejects.toThrow("non-numeric user (web)");
      expect(await native.output("id -u", { security: { ...security, runAsUser: 5 } })).toBe("5");
    });

    test("a Pod's environment reaches no program that still has privileges", async () => {
      const env = [{ name: "LD_PRELOAD", value: "/proc/self/cwd/evil.so" }];
      const security = { runAsUser: 1000 };
      // ld.so of each program that sees the variable reports an error: only the Pod's own programs may.
      const complaints = await native.output("id -u", { env, security, workingDir: "/tmp" });
      expect(complaints).not.toMatch(/setpriv|mount|nsenter/);
      expect(complaints).toContain("1000");
    });
  });

  describe("file systems", () => {
    test("the host's files are invisible, and kernel settings read-only", async () => {
      await writeFile(join(native.under.directory, "secret"), "s3cret");
      const script = `cat ${native.under.directory}/secret; ls /root /home 2>&1; echo 1 > /proc/sys/kernel/panic;
        echo 1 > /sys/kernel/profiling; cat /proc/keys; cat /etc/shadow; touch /usr/planted; echo done`;
      const seen = await native.output(script);
      expect(seen).not.toContain("s3cret");
      for (const why of ["No such file", "panic: Read-only file system", "/usr/planted': Read-only"]) {
        expect(seen).toContain(why);
      }
      expect(await native.output("ls -A / /dev | grep '^\\.' || echo nothing")).toBe("nothing");
    });

    test("a chroot trick finds no way above the root", async () => {
      const script = `mkdir -p /x && chroot /x /nothing 2>/dev/null; cd /; cd ../../../..; ls -d ${native.under.directory} 2>&1`;
      expect(await native.output(script)).toContain("No such file");
    });

    test("the root is writable only for its container, or read-only with writable mounts", async () => {
      expect(await native.output("echo x > /file && cat /file")).toBe("x");
      expect(await native.output("ls /file")).toContain("No such file");
      const volume = join(native.under.directory, "volume");
      await mkdir(volume);
      const mounts = [
        { hostPath: volume, containerPath: "/data", readOnly: false, propagation: "None" as const },
      ];
      const script = "touch /file; echo kept > /data/file; echo x > /dev/shm/y && echo shm";
      const seen = await native.output(script, { mounts, security: { readOnlyRootFilesystem: true } });
      expect(seen).toContain("Read-only file system");
      expect(seen).toContain("shm");
      expect(await readFile(join(volume, "file"), "utf8")).toBe("kept\n");
    });

    test("mounts support files and directories, blanks and nesting, and read-only", async () => {
      const source = join(native.under.directory, "source with blanks");
      await mkdir(join(source, "deep"), { recursive: true });
      await writeFile(join(source, "file"), "content");
      const mount = (from: string, containerPath: string, readOnly: boolean) => ({
        hostPath: join(source, from),
        containerPath,
        readOnly,
        propagation: "None" as const,
      });
      const mounts = [
        mount("", "/a dir", false),
        mount("file", "/a dir/new/inner", true),
        mount("file", "/etc/app.conf", true),
      ];
      const script =
        "cat '/a dir/file' '/a dir/new/inner' /etc/app.conf; echo; echo w > /etc/app.conf; echo w > '/a dir/made'";
      expect(await native.output(script, { mounts })).toMatch(
        /^contentcontentcontent\n.*app.conf: Read-only file system/,
      );
      expect(await readFile(join(source, "made"), "utf8")).toBe("w\n");
      expect(await readFile(join(source, "file"), "utf8")).toBe("content");
    });

    test("a recursive read-only mount includes the mounts below it", async () => {
      const outer = join(native.under.directory, "outer");
      const inner = join(outer, "inner");
      await mkdir(inner, { recursive: true });
      execFileSync("mount", ["-t", "tmpfs", "tmpfs", inner]);
      try {
        const mount = { hostPath: outer, containerPath: "/o", readOnly: true, propagation: "None" as const };
        const script = "touch /o/inner/file && echo written";
        expect(await native.output(script, { mounts: [mount] })).toBe("written");
        expect(await native.output(script, { mounts: [{ ...mount, recursiveReadOnly: true }] })).toContain(
          "Read-only file system",
        );
      } finally {
        execFileSync("umount", [inner]);
      }
    });

    test("links of an image cannot lead a mount or the working directory to the host", async () => {
      const folder = join(native.under.directory, "hostile");
      const outside = join(native.under.directory, "outside");
      await mkdir(folder);
      await mkdir(outside);
      await mkdir(join(folder, outside), { recursive: true });
      await symlink(outside, join(folder, "direct"));
      await symlink(`../../../../../../..${outside}`, join(folder, "climbing"));
      await symlink("/etc", join(folder, "proc"));
      await native.under.images.build({ folder, tag: "knarr.local/hostile:v1", base: hostImageName });
      const source = join(native.under.directory, "mounted");
      await mkdir(source);
      const mount = (containerPath: string) => ({
        hostPath: source,
        containerPath,
        readOnly: false,
        propagation: "None" as const,
      });
      const script = "pwd; touch /direct/in1/a /climbing/in2/b; ls -d /proc/1";
      const seen = await native.output(script, {
        image: "knarr.local/hostile:v1",
        mounts: [mount("/direct/in1"), mount("/climbing/in2")],
        workingDir: "/direct/work",
      });
      expect(seen).toContain("/proc/1");
      expect(globSync(join(outside, "*"))).toEqual([]);
      expect(globSync(join(source, "*")).length).toBe(2);
    });

    test("the missing target of a link is created inside, and a working directory outside is refused", async () => {
      const folder = join(native.under.directory, "dangling");
      const outside = join(native.under.directory, "beyond");
      await mkdir(folder);
      await symlink(outside, join(folder, "link"));
      await symlink(`/proc/${process.pid}/root`, join(folder, "host"));
      const image = "knarr.local/dangling:v1";
      await native.under.images.build({ folder, tag: image, base: hostImageName });
      expect(await native.output("pwd", { image, workingDir: "/link/work" })).toBe(`${outside}/work`);
      expect(globSync(outside)).toEqual([]);
      const escape = native.output("pwd", { image, workingDir: "/host/etc" }, { hostPID: true });
      await expect(escape).rejects.toThrow("outside of the container");
    });

    test("a Bidirectional mount propagates mounts to the host, and the container's end unmounts none of the host's", async () => {
      const shared = join(native.under.directory, "shared");
      await mkdir(shared);
      execFileSync("mount", ["-t", "tmpfs", "tmpfs", shared]);
      execFileSync("mount", ["--make-shared", shared]);
      const ours = () => {
        const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
        return mounts.filter((line) => line.includes(native.under.directory)).length;
      };
      const before = ours();
      try {
        const mounts = [
          { hostPath: shared, containerPath: "/s", readOnly: false, propagation: "Bidirectional" as const },
        ];
        const security = { privileged: true };
        await native.output("mkdir /s/sub && mount -t tmpfs tmpfs /s/sub && touch /s/sub/seen", {
          mounts,
          security,
        });
        expect((await stat(join(shared, "sub/seen"))).isFile()).toBe(true);
        expect(ours()).toBe(before + 1);
      } finally {
        execFileSync("umount", ["-R", shared]);
      }
    });

    test("a privileged container has the host's devices and may mount", async () => {
      const script =
        "ls /dev | wc -l; mount -t tmpfs tmpfs /mnt 2>&1 || { mkdir /m && mount -t tmpfs tmpfs /m && echo mounted; }";
      const seen = await native.output(script, { security: { privileged: true } });
      expect(Number(seen.split("\n")[0])).toBeGreaterThan(20);
      expect(seen).toContain("mounted");
    });

    test("the device of the host's disk can be neither created nor opened", async () => {
      const device = execFileSync("findmnt", ["-no", "MAJ:MIN", "/"], { encoding: "utf8" })
        .trim()
        .replace(":", " ");
      const script = `mknod /disk b ${device}; head -c 1 /disk | wc -c; mknod /dev/disk b ${device}; head -c 1 /dev/disk | wc -c`;
      for (const security of [{}, { dropCapabilities: ["MKNOD"] }]) {
        expect(await native.output(script, { security })).not.toMatch(/^1$/m);
      }
      // Without a device cgroup, the mount's nodev option forbids it.
      expect(await native.output("grep ' / / ' /proc/self/mountinfo")).toMatch(/ rw,nodev,/);
    });
  });

  test.skipIf(!existsSync("/proc/keys"))("each container has a session keyring of its own", async () => {
    const sessions = (keys: string) =>
      [...keys.matchAll(/^(\w+) .* keyring +_ses: /gm)].map(([, serial]) => serial);
    const seen = new Set(sessions(readFileSync("/proc/keys", "utf8")));
    for (const _ of [1, 2]) {
      const keys = await native.output("cat /proc/keys", { security: { privileged: true } });
      const fresh = sessions(keys).filter((serial) => !seen.has(serial));
      expect(fresh).toHaveLength(1);
      seen.add(fresh[0]);
    }
  });
});
