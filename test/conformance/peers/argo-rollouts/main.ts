import { join } from "node:path";
import { beside, kubectl, untilPrinted } from "../operator.ts";

/** Has the controller make a canary and a blue-green release. */
const [out = ""] = process.argv.slice(2);
const here = import.meta.dirname;
const crds = ["analysis-run", "analysis-template", "cluster-analysis-template", "experiment", "rollout"];
for (const name of crds) kubectl("apply", "--server-side", "-f", join(out, "crds", `${name}-crd.yaml`));
kubectl("create", "namespace", "argo-rollouts");
const line = [join(out, "rollouts-controller"), "--leader-elect=false", "--metricsport=0", "--healthzPort=0"];
const state = ["-o", "jsonpath={.status.phase} {.status.updatedReplicas}/{.status.availableReplicas}"];
await beside(out, line, async () => {
  kubectl("apply", "-f", join(here, "rollouts.yaml"));
  await untilPrinted("Healthy 5/5", "get", "rollout", "canary", ...state);
  await untilPrinted("Healthy 2/2", "get", "rollout", "blue-green", ...state);
  for (const name of ["canary", "blue-green"]) {
    const container = { name: "main", image: "web:2" };
    const patch = JSON.stringify({ spec: { template: { spec: { containers: [container] } } } });
    kubectl("patch", "rollout", name, "--type=merge", "--patch", patch);
  }
  const weight = ["-o", "jsonpath={.status.canary.weights.canary.weight}{.status.currentStepIndex}"];
  await untilPrinted("1", "get", "rollout", "canary", ...weight);
  kubectl(
    "patch",
    "rollout",
    "canary",
    "--subresource=status",
    "--type=merge",
    "--patch",
    '{"status":{"pauseConditions":null}}',
  );
  await untilPrinted("Healthy 5/5", "get", "rollout", "canary", ...state);
  await untilPrinted("Healthy 2/2", "get", "rollout", "blue-green", ...state);
  await untilPrinted(
    "web:2",
    "get",
    "pods",
    "--selector=app=canary",
    "-o",
    "jsonpath={.items[0].spec.containers[0].image}",
  );
  kubectl("delete", "-f", join(here, "rollouts.yaml"));
});
process.stdout.write("ok: argo-rollouts released by canary and by blue-green\n");
