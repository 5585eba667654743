/** A folder whose tests are scored: the files to change, and the tests that must notice. */
export interface Folder {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

/** Everything below a folder, scored by the tests beside the code and by those named here. */
function whole(folder: string, ...tests: readonly string[]): Folder {
  return { mutate: [`${folder}/**/*.ts`], tests: [`${folder}/**/*.test.ts`, ...tests] };
}

const controllers = "src/controllers";

export const folders: Readonly<Record<string, Folder>> = {
  "src/meta": {
    mutate: ["src/meta/*.ts"],
    tests: ["src/meta/*.test.ts", "test/protobuf.test.ts", "test/api/*.test.ts"],
  },
  "src/meta/apply": whole("src/meta/apply", "test/meta/apply.test.ts"),
  "src/meta/json-path": whole("src/meta/json-path"),
  "src/meta/patch": whole("src/meta/patch", "test/meta/strategic-merge.test.ts"),
  "src/meta/protobuf": whole(
    "src/meta/protobuf",
    "test/protobuf.test.ts",
    "test/api/number-messages.test.ts",
  ),
  "src/meta/validation": whole("src/meta/validation"),
  // What decides; controllers and the files that read and write beside them are the shells around it.
  "src/controllers": {
    mutate: [
      `${controllers}/*/plan.ts`,
      `${controllers}/deployment/{annotations,conditions,fenceposts,replica-sets,rolling,scaling,status}.ts`,
      `${controllers}/disruption/{expected-pods,pods}.ts`,
      `${controllers}/endpoint-slice/endpoints.ts`,
      `${controllers}/garbage-collector/graph.ts`,
      `${controllers}/node-lifecycle/heartbeats.ts`,
      `${controllers}/ownership/{claim,controller-ref}.ts`,
      `${controllers}/pods/{pod-state,slow-start}.ts`,
      `${controllers}/replica-set/deletion-order.ts`,
    ],
    tests: [`${controllers}/**/*.test.ts`],
  },
  "src/scheduler": whole("src/scheduler"),
  "src/kubelet/pod": whole("src/kubelet/pod"),
  "src/network/services": whole("src/network/services"),
  "src/apiserver/authz": whole("src/apiserver/authz", "test/apiserver/permissions.test.ts"),
  "src/store/index": whole("src/store/index"),
};

/** The row of a folder, or of the nearest folder above it: a smaller folder, or one file, is scored by the same tests. */
export function folderOf(path: string): Folder | undefined {
  const own = folders[path];
  if (own !== undefined) return own;
  const above = Object.keys(folders).filter((name) => path.startsWith(`${name}/`));
  const nearest = folders[above.sort((a, b) => b.length - a.length)[0] ?? ""];
  return nearest && { ...nearest, mutate: [path.endsWith(".ts") ? path : `${path}/**/*.ts`] };
}
