import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/**
 * Makes the messages of each `.proto` in `src/kubelet/rpc/protocols/`, as TypeScript in `src/kubelet/rpc/generated/`.
 * The generators are packages of fixed versions; npm keeps them in its cache.
 */
const rpc = join(import.meta.dirname, "../src/kubelet/rpc");
const generators = ["@bufbuild/buf@1.75.0", "@bufbuild/protoc-gen-es@2.17.0"];

const scratch = mkdtempSync(join(tmpdir(), "knarr-protocols-"));
try {
  generate(scratch);
  for (const file of globSync("*_pb.ts", { cwd: scratch }))
    writeFileSync(
      join(rpc, "generated", basename(file)),
      withoutEnums(readFileSync(join(scratch, file), "utf8")),
    );
} finally {
  rmSync(scratch, { recursive: true });
}

function generate(out: string): void {
  const template = JSON.stringify({
    version: "v2",
    plugins: [{ local: "protoc-gen-es", out, opt: ["target=ts", "import_extension=ts"] }],
  });
  const packages = generators.map((name) => `--package=${name}`);
  const { status } = spawnSync(
    "npm",
    ["exec", "--yes", ...packages, "--", "buf", "generate", join(rpc, "protocols"), "--template", template],
    { stdio: "inherit" },
  );
  if (status !== 0) throw new Error(`buf generate: exit code ${status}`);
}

/** Replaces enums by constants, because only erasable TypeScript runs without a build. */
function withoutEnums(source: string): string {
  return source.replaceAll(/^export enum (\w+) \{\n([^}]*)^\}$/gm, (_, name: string, members: string) => {
    const constants = members.replaceAll(/^( +\w+) = (-?\d+),$/gm, "$1: $2,");
    return `export const ${name} = {\n${constants}} as const;\nexport type ${name} = (typeof ${name})[keyof typeof ${name}];`;
  });
}
