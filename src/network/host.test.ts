import { expect, test } from "vitest";
import { thisHost } from "./host.ts";

test("a program gets its input and returns its output", async () => {
  expect(await thisHost.run("cat", ["-"], "hello")).toBe("hello");
});

test.each([
  ["its error output", ["-c", "echo why >&2; exit 3"], "Cannot run sh -c echo why >&2; exit 3: why"],
  ["its code without error output", ["-c", "exit 3"], "Cannot run sh -c exit 3: it ended with 3"],
])("a program that fails is reported by %s", async (_, args, message) => {
  // More than a pipe holds, and without a reader.
  await expect(thisHost.run("sh", args, "x".repeat(300_000))).rejects.toThrow(message);
});

test("a missing program is reported by its name", async () => {
  await expect(thisHost.run("knarr-is-no-program", [])).rejects.toThrow(
    "knarr-is-no-program is not installed",
  );
});

test("a setting of the kernel is read, and a setting that it lacks is undefined", () => {
  expect(thisHost.sysctl("kernel/ostype")).toBe("Linux");
  expect(thisHost.sysctl("kernel/knarr")).toBeUndefined();
});
