import { expect, test } from "vitest";
import { pemBlocks } from "./pem.ts";

const block = (type: string, body: string) => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;
const blocksOf = (text: string) =>
  pemBlocks(Buffer.from(text).toString("base64")).map(({ type, hasHeaders, bytes }) =>
    [type, ...(hasHeaders ? ["headers"] : []), Buffer.from(bytes).toString()].join(" "),
  );

test.each<readonly [string, string, readonly string[]]>([
  ["one block", block("A", "eA=="), ["A x"]],
  ["several, and text between them", `one\n${block("A", "eA==")}two\n${block("B", "eQ==")}`, ["A x", "B y"]],
  [
    "lines with spaces and carriage returns",
    block("A", "e A =\r\n=\t").replaceAll("-----\n", "----- \r\n"),
    ["A x"],
  ],
  ["headers", block("A", "k: v\nl: w\n\neA=="), ["A headers x"]],
  ["an empty block", "-----BEGIN A-----\n-----END A-----\n", ["A "]],
  ["a block that does not begin a line", `x${block("A", "eA==")}${block("A", "eQ==")}`, ["A y"]],
  ["a beginning without an end", `-----BEGIN A-----\n${block("B", "eA==")}`, ["B x"]],
  ["an end of another type", `-----BEGIN A-----\neA==\n-----END B-----\n${block("A", "eQ==")}`, ["A y"]],
  ["an end with more behind it", `-----BEGIN A-----\neA==\n-----END A-----x\n${block("A", "eQ==")}`, ["A y"]],
  ["what is no Base64", `${block("A", "eA=")}${block("A", "e!==")}${block("A", "eQ==")}`, ["A y"]],
  ["nothing", "-----BEGIN A-----\neA==\n", []],
])("Go and Knarr read %s in the same way", (_, text, blocks) => {
  expect(blocksOf(text)).toEqual(blocks);
});
