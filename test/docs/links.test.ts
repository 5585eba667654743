import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/**
 * Documents name files so that readers open them. Paths in backticks, in lines of shell and in relative links must
 * exist, so that whoever moves a file updates its documents.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
const ignored = /^(node_modules|dist|\.git|\.ci)(\/|$)|\/node_modules(\/|$)/;

interface Mention {
  readonly line: number;
  readonly path: string;
  readonly link: boolean;
}

/** Words that look like paths but are not in this repository, each with the reason. */
const absent = new Map([
  ["pins/", "a folder of the native runtime's state"],
  ["util/validation", "a package of apimachinery"],
  ["api/validation", "a package of apimachinery"],
]);

test("documents name only files and folders that exist", () => {
  const tree = globSync("**", { cwd: root, exclude: (path) => ignored.test(path) });
  const documents = tree.filter((path) => path.endsWith(".md"));
  const exists = existingPaths(tree);
  const offenders = documents.flatMap((document) => {
    const text = readFileSync(join(root, document), "utf8");
    return offendersOf(document, text, exists);
  });
  expect(documents).toContain("README.md");
  expect(offenders).toEqual([]);
});

test("a document with stale names is listed by line", () => {
  const exists = existingPaths(["src/store/store.ts", "docs/walks/create.md", "README.md"]);
  const text = [
    "`store/store.ts`, `walks/`, `walks/create.md`, `src/<layer>/store.ts`, `knarr/testing`, `apps/v1`",
    "`store/stores.ts` and [a walk](walks/creates.md), [home](../README.md#start), `store/disk`",
    "```sh",
    "node src/store/main.ts --etcd FILE",
    "```",
    "`src/<layer>/none.ts`",
  ].join("\n");
  expect(offendersOf("docs/index.md", text, exists)).toEqual([
    "docs/index.md:2: store/stores.ts",
    "docs/index.md:2: store/disk",
    "docs/index.md:2: walks/creates.md",
    "docs/index.md:4: src/store/main.ts",
    "docs/index.md:6: src/<layer>/none.ts",
  ]);
});

type Exists = (path: string) => boolean;

/** Returns a predicate over paths from the root; `<placeholder>` and `*` match any part of one name. */
function existingPaths(files: readonly string[]): Exists {
  const paths = new Set<string>();
  for (const file of files) {
    for (let path = file; path !== "."; path = dirname(path)) paths.add(path);
  }
  const all = [...paths].join("\n");
  return (path) => {
    const plain = normalize(path).replace(/\/$/, "");
    if (!/[<*]/.test(plain)) return plain === "." || paths.has(plain);
    const pattern = plain.split(/<[^>]*>|\*+/).map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${pattern.join("[^/\\n]+")}$`, "m").test(all);
  };
}

/**
 * Returns the mentions of missing files. A path is looked up beside the document, from the root, from `src/`, and in
 * the folders that the line named before it.
 */
function offendersOf(document: string, text: string, exists: Exists): string[] {
  const folder = dirname(document);
  const offenders: string[] = [];
  let named: { line: number; folders: string[] } = { line: 0, folders: [] };
  for (const { line, path, link } of mentions(text)) {
    if (named.line !== line) named = { line, folders: [] };
    const bases = link ? [folder] : [folder, ".", "src", ...named.folders];
    if (!link && !looksLikePath(path, [folder, ".", "src"], exists)) continue;
    const found = bases.map((base) => normalize(join(base, path))).find(exists);
    if (found === undefined) offenders.push(`${document}:${line}: ${path}`);
    else named.folders.push(path.endsWith("/") ? found : dirname(found));
  }
  return offenders;
}

function looksLikePath(word: string, bases: readonly string[], exists: Exists): boolean {
  if (absent.has(word)) return false;
  if (/[\w>*-]\.(?:ts|js|md|jsonl?|ya?ml|txt)$|\/$/.test(word)) return true;
  const [first = "", rest] = word.replace(/^\.\//, "").split("/");
  return rest !== undefined && bases.some((base) => exists(join(base, first)));
}

function mentions(text: string): Mention[] {
  const found: Mention[] = [];
  let fence: string | undefined;
  for (const [index, content] of text.split("\n").entries()) {
    const opened = /^\s*```(\w*)/.exec(content)?.[1];
    if (opened !== undefined) fence = fence === undefined ? opened : undefined;
    else if (fence === undefined || fence === "sh")
      found.push(...mentionsOf(content, fence !== undefined, index + 1));
  }
  return found;
}

function mentionsOf(content: string, shell: boolean, line: number): Mention[] {
  const code = shell
    ? [content.replace(/#.*/, "")]
    : [...content.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
  const words = code
    .flatMap((span) => span.split(/[\s,]+/))
    .filter((word) => /^[\w.<*][\w./<>*@-]*$/.test(word));
  const links = shell ? [] : [...content.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map((match) => match[1] ?? "");
  return [
    ...words.map((path) => ({ line, path, link: false })),
    ...links.filter((path) => !path.includes(":")).map((path) => ({ line, path, link: true })),
  ];
}
