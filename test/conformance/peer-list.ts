import { join } from "node:path";
import type { Program } from "./build.ts";

/** One call of a peer, with the expected output on stdout. */
export interface Call {
  readonly name: string;
  readonly line: readonly string[];
  readonly wanted: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Another project's client. KUBECONFIG names the cluster; `out` is the folder where the peer was built. */
export interface Peer extends Program {
  calls(out: string): readonly Call[];
}

const folder = join(import.meta.dirname, "peers");

const informers: Peer = {
  name: "informers",
  needs: ["go"],
  sources: ["go.mod", "go.sum", "informers"],
  build: (out) => [["go", "build", "-o", join(out, "informers"), "./informers"]],
  calls: (out) =>
    ["true", "false"].map((watchList) => ({
      name: `with WatchList ${watchList}`,
      line: [join(out, "informers")],
      wanted: "ok: application/vnd.kubernetes.protobuf",
      env: { KUBE_FEATURE_WatchListClient: watchList },
    })),
};

const controllerRuntime: Peer = {
  name: "controller-runtime",
  needs: ["go"],
  sources: ["controller-runtime"],
  folder: "controller-runtime",
  build: (out) => [["go", "build", "-o", join(out, "peer"), "."]],
  calls: (out) => [
    {
      name: "operator",
      line: [join(out, "peer")],
      wanted: "ok: controller-runtime reconciled, led and finalized",
    },
  ],
};

const kubeRs: Peer = {
  name: "kube-rs",
  needs: ["cargo"],
  sources: ["kube-rs"],
  folder: "kube-rs",
  build: (out) => [["cargo", "build", "--locked", "--target-dir", out]],
  calls: (out) => [
    {
      name: "operator",
      line: [join(out, "debug/kube-rs-peer")],
      wanted: "ok: kube-rs applied, watched and finalized",
    },
  ],
};

const fabric8: Peer = {
  name: "fabric8",
  needs: ["java", "mvn"],
  sources: ["fabric8"],
  folder: "fabric8",
  build: (out) => [["mvn", "-q", "-B", `-Dpeer.out=${out}`, "compile", "dependency:copy-dependencies"]],
  calls: (out) => [
    {
      name: "client",
      line: ["java", "-cp", `${join(out, "classes")}:${join(out, "dependency")}/*`, "Main"],
      wanted: "ok: fabric8 wrote, watched, elected and waited",
    },
  ],
};

const kopf: Peer = {
  name: "kopf",
  needs: ["python3"],
  sources: ["kopf/requirements.txt"],
  folder: "kopf",
  build: (out) => [
    ["python3", "-m", "venv", "--clear", join(out, "venv")],
    [join(out, "venv/bin/pip"), "install", "--quiet", "--requirement", "requirements.txt"],
  ],
  calls: (out) => [
    {
      name: "operator",
      line: [join(out, "venv/bin/python"), "-B", join(folder, "kopf/main.py")],
      wanted: "ok: kopf created, updated, resumed and finalized",
    },
  ],
};

const helm: Peer = {
  name: "helm",
  needs: ["go"],
  sources: [],
  build: () => [["go", "install", "helm.sh/helm/v4/cmd/helm@v4.3.0"]],
  calls(out) {
    const call = (name: string, wanted: string, ...words: readonly string[]): Call => ({
      name,
      line: [join(out, "helm"), name, "web", ...words],
      wanted,
    });
    const chart = join(folder, "chart");
    const patience = ["--wait", "--timeout", "60s"];
    return [
      call("install", "STATUS: deployed", chart, ...patience),
      call("upgrade", "REVISION: 2", chart, "--set", "greeting=hi", ...patience),
      call("rollback", "Rollback was a success", "1", ...patience),
      call("history", "Rollback to 1"),
      call("uninstall", "uninstalled", ...patience),
    ];
  },
};

/** An operator built from a Go module, whose own manifests are copied beside it. */
function operator(
  name: string,
  module: string,
  program: string,
  copies: (module: string, out: string) => string,
  wanted: string,
): Peer {
  return {
    name,
    needs: ["go", "kubectl"],
    sources: [join(name, "go.mod"), join(name, "go.sum")],
    folder: name,
    build: (out) => [
      ["go", "build", "-o", `${out}/`, `${module}/${program}`],
      ["sh", "-ec", copies(`$(go list -m -f '{{.Dir}}' ${module})`, out)],
    ],
    calls: (out) => [
      { name: "operator", line: [process.execPath, join(folder, name, "main.ts"), out], wanted },
    ],
  };
}

const prometheusOperator = operator(
  "prometheus-operator",
  "github.com/prometheus-operator/prometheus-operator",
  "cmd/operator",
  (module, out) => `cp -r --no-preserve=mode "${module}/example/prometheus-operator-crd" ${out}/`,
  "ok: prometheus-operator made, scaled and deleted its StatefulSets",
);

const argoRollouts = operator(
  "argo-rollouts",
  "github.com/argoproj/argo-rollouts",
  "cmd/rollouts-controller",
  (module, out) => `cp -rT --no-preserve=mode "${module}/manifests/crds" ${out}/crds`,
  "ok: argo-rollouts released by canary and by blue-green",
);

const kwok = operator(
  "kwok",
  "sigs.k8s.io/kwok",
  "cmd/kwok",
  (module, out) =>
    ["node", "pod"]
      .map(
        (kind) =>
          `for f in "${module}"/kustomize/stage/${kind}/fast/${kind}-*.yaml; do echo ---; cat "$f"; done > ${out}/${kind}.yaml`,
      )
      .join("; "),
  "ok: kwok ran a Deployment and a Job",
);

/** The peers in the order in which they run. */
export const peers: readonly Peer[] = [
  informers,
  helm,
  controllerRuntime,
  fabric8,
  kubeRs,
  kopf,
  prometheusOperator,
  argoRollouts,
  kwok,
];
