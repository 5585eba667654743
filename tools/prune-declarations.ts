import { globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * Deletes the declarations that no entry point of the package reaches: users cannot import them. `prune-declarations.ts
 * [folder]`.
 */
const root = join(import.meta.dirname, "..");
const folder = resolve(process.argv[2] ?? join(root, "dist"));
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
};

const waiting = Object.values(exports).map(({ types }) => join(folder, types.replace("./dist/", "")));
const reached = new Set<string>();
for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
  if (reached.has(file)) continue;
  reached.add(file);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)\.[jt]s"/g))
    waiting.push(resolve(dirname(file), `${path}.d.ts`));
}
for (const name of globSync("**/*.d.ts", { cwd: folder })) {
  const file = join(folder, name);
  if (!reached.has(file)) rmSync(file);
}
