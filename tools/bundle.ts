import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

/**
 * Bundles the command's modules, and the dependencies that they import, into a few files: `bundle.ts [folder]`. Without
 * a bundle, resolving and reading a thousand modules takes half of a start.
 */
const root = join(import.meta.dirname, "..");
const folder = resolve(process.argv[2] ?? join(root, "dist/bundle"));

/** The entry points. A process or thread finds its entry point by name, beside the code that starts it. */
const entries = {
  main: "src/cluster/main.ts",
  worker: "src/store/sqlite/worker.ts",
  "yaml-worker": "src/apiserver/yaml/yaml-worker.ts",
};

const bundle = await rolldown({
  cwd: root,
  input: entries,
  platform: "node",
  // koffi loads a native library for the machine that it is installed on.
  external: ["koffi"],
  onLog: (_, { message }) => {
    throw new Error(message);
  },
});
const { output } = await bundle.write({
  dir: folder,
  format: "esm",
  // Errors are identified by the names of their classes.
  keepNames: true,
  comments: { annotation: false, jsdoc: false },
});
await bundle.close();
const modules = output.flatMap((one) => (one.type === "chunk" ? one.moduleIds : []));
const packages = new Set(modules.flatMap((id) => /.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
writeFileSync(join(folder, "LICENSES.txt"), [...packages].sort().map(licenseOf).join("\n\n"));

/** Returns the license text of a package, which licenses require wherever the code is copied. */
function licenseOf(directory: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(directory, "package.json"), "utf8"),
  ) as Readonly<Record<"name" | "version" | "license", string>>;
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|notice|copyright)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(directory, file), "utf8").trim());
  return [`${name} ${version} (${license})`, ...texts].join("\n\n");
}
