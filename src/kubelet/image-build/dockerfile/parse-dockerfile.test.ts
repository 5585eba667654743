import { describe, expect, test } from "vitest";
import { expandWord } from "./expand.ts";
import { parseDockerfile } from "./parse-dockerfile.ts";
import { namedValues, splitWords } from "./words.ts";

const parse = (...lines: readonly string[]) => parseDockerfile("Dockerfile", lines.join("\n"));
const texts = (...lines: readonly string[]) =>
  parse("FROM scratch", ...lines).stages[0]?.instructions.map(({ name, text }) => `${name} ${text}`);

describe("a Dockerfile", () => {
  test("joins continued lines, without comments and empty lines between", () => {
    expect(texts("run a \\", "# no", "", "  && b \\  ", "c", "CMD x")).toEqual(["RUN a   && b c", "CMD x"]);
  });

  test("keeps an escaped escape at the end of a line", () => {
    expect(texts("RUN a \\\\", "RUN b")).toEqual(["RUN a \\\\", "RUN b"]);
  });

  test("takes the escape character of the directive", () => {
    const { escape, stages } = parse("# escape=`", "FROM scratch", "RUN a `", " b");
    expect(escape).toBe("`");
    expect(stages[0]?.instructions[0]?.text).toBe("a  b");
  });

  test("takes a directive after another comment as a comment", () => {
    expect(parse("# a comment", "# escape=`", "FROM scratch").escape).toBe("\\");
  });

  test("names stages, with their images and platforms", () => {
    const { stages } = parse("FROM --platform=linux/amd64 a:1 AS Build", "RUN x", "FROM build");
    expect(stages.map(({ from, name, platform }) => [from, name, platform])).toEqual([
      ["a:1", "build", "linux/amd64"],
      ["build", undefined, undefined],
    ]);
  });

  test("reads flags and exec forms", () => {
    const [copy, cmd] = parse("FROM x", "COPY --chown=1:2 --from=a b c", 'CMD ["a", "b c"]').stages[0]
      ?.instructions ?? [undefined, undefined];
    expect(copy?.flags).toEqual(new Map(Object.entries({ chown: "1:2", from: "a" })));
    expect(copy?.text).toBe("b c");
    expect(cmd?.exec).toEqual(["a", "b c"]);
  });

  test("warns about HEALTHCHECK, which it ignores", () => {
    expect(parse("FROM x", "HEALTHCHECK CMD true").warnings).toEqual([
      "Dockerfile:2: HEALTHCHECK is ignored: Kubernetes uses a Pod's probes instead",
    ]);
  });

  test.each([
    [["RUN x"], "Dockerfile:1: no build stage in current context: the first instruction must be FROM"],
    [["FROM x", "", "FOO bar"], "Dockerfile:3: unknown instruction: FOO"],
    [["FROM x", "RUN \\", " --mount=type=cache x"], "Dockerfile:2: RUN --mount is not supported"],
    [["FROM x", "COPY <<EOF /a", "b", "EOF"], "Dockerfile:2: COPY with a here-document is not supported"],
    [["FROM x", "ONBUILD RUN y"], "Dockerfile:2: ONBUILD is not supported"],
    [["FROM x AS"], "Dockerfile:1: FROM requires either one or three arguments"],
    [["FROM x AS 1a"], 'Dockerfile:1: invalid name for build stage: "1a"'],
    [["FROM x", "SHELL bash"], "Dockerfile:2: SHELL requires the arguments to be in JSON form"],
    [["# escape=x", "FROM x"], 'Dockerfile:1: invalid ESCAPE "x": use \\ or `'],
    [["FROM x", "CMD"], "Dockerfile:2: CMD requires at least one argument"],
    [["# nothing"], "Dockerfile:1: file with no instructions: FROM is missing"],
  ])("refuses %j", (lines, message) => {
    expect(() => parse(...lines)).toThrow(message);
  });

  test("refuses a file with too many instructions, in linear time", () => {
    expect(() => parse("FROM x", ...Array.from({ length: 20_000 }, () => "RUN y"))).toThrow(
      "10000 instructions",
    );
  });
});

describe("a word", () => {
  const variables = new Map([
    ["A", "one"],
    ["E", ""],
    ["__proto__", "p"],
  ]);
  test.each([
    ["$A-${A}", "one-one"],
    ["'$A' \"$A\"", "$A one"],
    ["\\$A \\\\", "$A \\"],
    ['"a\\"b\\n"', 'a"b\\n'],
    ["${E:-x}${E-y}${N-z}", "xz"],
    ["${A:+s}${E:+t}${E+u}", "su"],
    ["${N:-${A}}", "one"],
    ["${N:-a'}'b}", "a}b"],
    ["$", "$"],
    ["$1", "$1"],
    ["${constructor}${__proto__}", "p"],
  ])("%s becomes %s", (text, expected) => {
    expect(expandWord(text, variables, "\\")).toBe(expected);
  });

  test.each([
    ["${A", "unexpected end"],
    ["'a", "single-quote"],
    ["${N:?why}", "N: why"],
    ["${A%x}", "unsupported modifier (%)"],
    ["${}", "bad substitution"],
    ["${N:-".repeat(100), "nested too deeply"],
  ])("%s is refused", (text, why) => {
    expect(() => expandWord(text, variables, "\\")).toThrow(why);
  });

  test("cannot grow without limit", () => {
    let value = "x".repeat(1024);
    expect(() => {
      for (let round = 0; round < 30; round++) value = expandWord("$V$V", new Map([["V", value]]), "\\");
    }).toThrow("more than");
  });

  test("is split at whitespace outside of quotes", () => {
    expect(splitWords("a 'b c' \"d e\"f\\ g", "\\")).toEqual(["a", "'b c'", '"d e"f\\ g']);
  });

  test("gives pairs, or one name with the rest of the line", () => {
    expect(namedValues("ENV", "A=1 B='2 3'", "\\")).toEqual([
      ["A", "1"],
      ["B", "'2 3'"],
    ]);
    expect(namedValues("ENV", "A 1  2", "\\")).toEqual([["A", "1  2"]]);
    expect(() => namedValues("ENV", "A=1 B", "\\")).toThrow("can't find = in");
    expect(() => namedValues("ENV", "A", "\\")).toThrow("ENV must have two arguments");
  });
});
