import { resolve } from "node:path";
import { expect, test } from "vitest";
import { UsageError } from "../cli/flags.ts";
import { clusterPlace } from "./state-directory.ts";

const place = (name?: string, directory?: string) => clusterPlace({ name, "data-dir": directory });

test("a cluster without a name lives in the working directory, one with a name in the user's state", () => {
  expect(place()).toEqual({ context: "knarr", directory: resolve(".knarr") });
  expect(place("dev").context).toBe("knarr-dev");
  expect(place("dev").directory).toMatch(/\/knarr\/dev$/);
  expect(place("dev", "here")).toEqual({ context: "knarr-dev", directory: resolve("here") });
});

test.each(["a", "a-b", "0", "a".repeat(40)])("%s is a name", (name) => {
  expect(place(name).context).toBe(`knarr-${name}`);
});

test.each(["", "A", "-a", "a-", "a/b", "..", "a.b", "a b", "a\n", "a".repeat(41)])(
  "%j is no name",
  (name) => {
    expect(() => place(name)).toThrow(UsageError);
  },
);
