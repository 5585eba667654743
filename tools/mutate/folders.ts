import { globSync } from "node:fs";
import { dirname } from "node:path";

/** A folder whose tests are scored: the files to change, and the tests that must notice. */
export interface Folder {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  /** True when each folder below is scored by its own tests, if it has any: loading all takes longer than running them. */
  readonly byOwnTests?: boolean;
}

/** Everything below a folder, scored by the tests beside the code and by those named here. */
function whole(folder: string, ...tests: readonly string[]): Folder {
  return { mutate: [`${folder}/**/*.ts`], tests: [`${folder}/**/*.test.ts`, ...tests] };
}

const authz = "src/apiserver/authz";
const controllers = "src/controllers";
const pod = "src/kubelet/pod";
const scheduler = "src/scheduler";
const services = "src/network/services";

export const folders: Readonly<Record<string, Folder>> = {
  "src/meta": {
    mutate: ["src/meta/*.ts"],
    tests: ["src/meta/*.test.ts", "test/protobuf.test.ts", "test/api/empty-values.test.ts"],
  },
  "src/meta/apply": whole("src/meta/apply", "test/meta/apply.test.ts", "test/meta/apply-types.test.ts"),
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
      `${controllers}/cron-job/{missed,next-time,time-zone}.ts`,
      `${controllers}/daemon-set/placement.ts`,
      `${controllers}/deployment/{annotations,conditions,fenceposts,replica-sets,rolling,scaling,status}.ts`,
      `${controllers}/disruption/pods.ts`,
      `${controllers}/endpoint-slice/endpoints.ts`,
      `${controllers}/garbage-collector/graph.ts`,
      `${controllers}/job/{assessment,backoff,conditions,indexes,per-index,pod-failure-policy}.ts`,
      `${controllers}/job/{pod-template,pods,removal,success-policy,tracking}.ts`,
      `${controllers}/node-lifecycle/heartbeats.ts`,
      `${controllers}/ownership/{claim,controller-ref}.ts`,
      `${controllers}/pods/{pod-state,slow-start}.ts`,
      `${controllers}/replica-set/deletion-order.ts`,
      `${controllers}/revisions/revisions.ts`,
      `${controllers}/stateful-set/{claim-owners,identity}.ts`,
    ],
    tests: [`${controllers}/*/!(controller|garbage-collector|policies-in-action).test.ts`],
    byOwnTests: true,
  },
  // Without what reads, writes and waits, and the types of the configuration.
  "src/scheduler": {
    mutate: [
      `${scheduler}/!(default-binder|informers|owner-sources|reports|scheduler).ts`,
      `${scheduler}/{decide,plugins}/*.ts`,
      `${scheduler}/configuration/!(arguments|schema).ts`,
      `${scheduler}/extenders/!(http).ts`,
      `${scheduler}/preemption/!(evict-victims|prepare-candidate).ts`,
    ],
    tests: [`${scheduler}/**/*.test.ts`],
  },
  // What decides and what is shown; workers and operations act, and the rest is tested with the runtime.
  "src/kubelet/pod": {
    mutate: [`${pod}/{plan,restart-policy,roles,status,view,work-machine}.ts`],
    tests: [`${pod}/{plan,restart-policy,status,work-machine}.test.ts`],
  },
  // What decides and what writes the rules; the rest opens sockets or asks the kernel.
  "src/network/services": {
    mutate: [`${services}/{balancer,choose-backend,plan}.ts`, `${services}/nftables/render.ts`],
    tests: [`${services}/{balancer,choose-backend,plan}.test.ts`, `${services}/nftables/render.test.ts`],
  },
  // Without the tests that start a server, which take seconds to load.
  "src/apiserver/authz": {
    mutate: [`${authz}/*.ts`],
    tests: [`${authz}/!(node|rbac).test.ts`],
  },
  "src/store/index": whole("src/store/index", "src/store/memory/*.test.ts"),
};

/** The files to change and the tests of a folder, or of a smaller folder or a file in one. */
export function folderOf(path: string): Folder | undefined {
  const rows = Object.keys(folders).filter((name) => path === name || path.startsWith(`${name}/`));
  const row = folders[rows.sort((a, b) => b.length - a.length)[0] ?? ""];
  if (row === undefined) return undefined;
  const files = globSync(row.mutate).filter((file) => !/\.(test|suite)\.ts$/.test(file));
  const mutate = files.filter((file) => file === path || file.startsWith(`${path}/`));
  const tests = globSync(row.tests);
  const own = tests.filter((test) => `${path}/`.startsWith(`${dirname(test)}/`));
  return { mutate, tests: row.byOwnTests === true && own.length > 0 ? own : tests };
}
