import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

/** Lints a file that is planted among the sources for a moment, and returns the linter's output. */
function lint(layer: string, source: string, neighbour = ""): string {
  const folder = mkdtempSync(join(root, "src", layer, "canary-"));
  const file = join(folder, "planted.ts");
  try {
    writeFileSync(file, source);
    writeFileSync(join(folder, "neighbour.ts"), neighbour);
    execFileSync(join(root, "node_modules/.bin/oxlint"), [file], {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
    });
    return "";
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the lint rules", () => {
  it("refuse an import that climbs a layer", () => {
    const output = lint(
      "meta",
      'import type { Store } from "../../store/store.ts";\n\nexport type Planted = Store;\n',
    );
    expect(output).toContain("meta/ may import only util");
  });

  it("refuse the store to every layer but the API server", () => {
    const output = lint(
      "controllers",
      'import type { Store } from "../../store/store.ts";\n\nexport type Planted = Store;\n',
    );
    expect(output).toContain("no-restricted-imports");
  });

  it("refuse an import that climbs inside a layer", () => {
    const source = 'import type { Context } from "../../rest/body.ts";\n\nexport type Planted = Context;\n';
    expect(lint("apiserver/registry", source)).toContain("apiserver/registry/ may import only admission");
  });

  it("refuse such an import in the places that may open sockets too", () => {
    const source =
      'import type { Volumes } from "../../volumes/manager.ts";\n\nexport type Planted = Volumes;\n';
    expect(lint("kubelet/native", source)).toContain("kubelet/native/ may import only images, safe-path of");
  });

  it("refuse a cycle of types", () => {
    const source = 'import type { Neighbour } from "./neighbour.ts";\n\nexport type Planted = Neighbour[];\n';
    const neighbour =
      'import type { Planted } from "./planted.ts";\n\nexport type Neighbour = Planted | undefined;\n';
    expect(lint("util", source, neighbour)).toContain("no-cycle");
  });

  it("refuse to resolve paths as strings in the node agent", () => {
    for (const module of ["node:fs", "node:fs/promises"]) {
      const name = module === "node:fs" ? "realpathSync" : "realpath";
      const output = lint(
        "kubelet",
        `import { ${name} } from "${module}";\n\nexport const planted = ${name};\n`,
      );
      expect(output).toContain("kubelet/safe-path/open-inside.ts");
    }
  });

  it("refuse the wall clock and unseeded randomness", () => {
    const output = lint("scheduler", "export const planted = [Date.now(), Math.random()];\n");
    expect(output).toContain("Time comes in through util/clock.ts.");
    expect(output).toContain("Randomness comes in through util/random.ts.");
  });

  it("refuse sockets outside the places that may open them", () => {
    const output = lint(
      "controllers",
      'import { connect } from "node:net";\n\nexport const planted = [connect, fetch];\n',
    );
    expect(output.match(/only the places in tools\/layers\.ts open sockets/g)).toHaveLength(2);
  });

  it("refuse a table of texts that is a plain object", () => {
    const output = lint("meta", "export const planted: Readonly<Record<string, number>> = { a: 1 };\n");
    expect(output).toContain("A table of texts is a Map, or made by table()");
  });

  it("refuse a docstring that opens with a question, a pronoun or a preposition", () => {
    const words = [
      ..."What Whether How Where Who Whom Whose Which Why When If As In Of For Its It".split(" "),
      ..."There To That This These They With".split(" "),
    ];
    const docstrings = words.flatMap((word) => [
      `/** ${word} a planted text. */`,
      `/**\n * ${word} a planted text\n * of two lines.\n */`,
    ]);
    const output = lint("meta", `${docstrings.join("\n")}\nexport const planted = 1;\n`);
    for (const word of words) expect(output.split(`not with “${word}”`)).toHaveLength(3);
    expect(output).toContain("A docstring opens with a noun or a verb: “The feasible nodes …”");
  });

  it("accept a docstring that opens with a noun or a verb, and any other comment", () => {
    const comments = [
      "/** Informers of a kind. */",
      "/** Forgets the key. */",
      "// What a planted text.",
      "/* How. */",
    ];
    expect(lint("meta", `${comments.join("\n")}\nexport const planted = 1;\n`)).toBe("");
  });

  it("let a clean file pass", () => {
    expect(lint("meta", "export const planted = 1;\n")).toBe("");
  });
});
