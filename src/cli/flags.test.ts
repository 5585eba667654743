import { describe, expect, it } from "vitest";
import { parseFlags, UsageError } from "./flags.ts";

const specs = {
  port: { type: "int", default: 6443, help: "" },
  watch: { type: "bool", short: "w", default: false, help: "" },
  output: { type: "string", short: "o", help: "" },
} as const;

describe("parseFlags", () => {
  it.each([
    [["--port", "0"], { port: 0 }, []],
    [["--port=7", "a"], { port: 7 }, ["a"]],
    [["--watch", "pods"], { watch: true }, ["pods"]],
    [["--watch=false", "pods"], { watch: false }, ["pods"]],
    [["-w", "-o", "json", "x"], { watch: true, output: "json" }, ["x"]],
    [["-o=json"], { output: "json" }, []],
    [["a", "--", "--port", "1"], {}, ["a", "--port", "1"]],
    [["-"], {}, ["-"]],
  ])("reads %j", (line, flags, args) => {
    const parsed = parseFlags(specs, line);
    expect(parsed.flags).toEqual({ port: 6443, watch: false, output: undefined, ...flags });
    expect(parsed.args).toEqual(args);
  });

  it.each([
    [["--nope"], "unknown flag: --nope"],
    [["--port"], "flag needs an argument: --port"],
    [["--port", "x"], 'invalid argument "x" for "--port" flag: it must be an integer'],
    [["--watch=perhaps"], 'invalid argument "perhaps" for "--watch" flag: it must be true or false'],
    [["--constructor"], "unknown flag: --constructor"],
  ])("refuses %j", (line, message) => {
    expect(() => parseFlags(specs, line)).toThrow(new UsageError(message));
  });
});
