import { join } from "node:path";
import { beside, kubectl, untilPrinted } from "../operator.ts";

/** Has kwok run a node of its own, with a Deployment and a Job. */
const [out = ""] = process.argv.slice(2);
const here = import.meta.dirname;
const line = [
  join(out, "kwok"),
  `--kubeconfig=${process.env["KUBECONFIG"]}`,
  ...["node", "pod"].flatMap((kind) => `--config=${join(out, `${kind}.yaml`)}`),
  "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
  "--node-lease-duration-seconds=40",
];
await beside(out, line, async () => {
  kubectl("create", "-f", join(here, "workload.yaml"));
  await untilPrinted("10", "get", "deployment", "fake", "-o", "jsonpath={.status.readyReplicas}");
  await untilPrinted("3", "get", "job", "fake", "-o", "jsonpath={.status.succeeded}");
  kubectl("delete", "-f", join(here, "workload.yaml"));
  await untilPrinted("", "get", "pods", "--selector=app=fake", "-o", "name");
});
process.stdout.write("ok: kwok ran a Deployment and a Job\n");
