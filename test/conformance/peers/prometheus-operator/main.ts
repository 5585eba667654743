import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadKubeconfig, resolveContext } from "../../../../src/client/kubeconfig.ts";
import { beside, kubectl, untilPrinted } from "../operator.ts";

/** Has the operator make StatefulSets of a Prometheus and an Alertmanager, change one, and delete the other. */
const [out = ""] = process.argv.slice(2);
const here = import.meta.dirname;
const { connection } = await resolveContext(await loadKubeconfig([process.env["KUBECONFIG"] ?? ""]));
const { server, ca = "", certificate } = connection;
const write = (name: string, text = "") => {
  const file = join(out, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
};

kubectl("create", "-f", join(out, "prometheus-operator-crd"));
const line = [
  join(out, "operator"),
  `-apiserver=${server}`,
  `-ca-file=${write("ca.crt", ca)}`,
  `-cert-file=${write("client.crt", certificate?.certificate)}`,
  `-key-file=${write("client.key", certificate?.key)}`,
  "-web.listen-address=127.0.0.1:0",
  "-web.enable-tls=false",
];
const get = (path: string, ...words: readonly string[]) => ["get", ...words, "-o", `jsonpath=${path}`];
await beside(out, line, async () => {
  kubectl("apply", "-f", join(here, "monitoring.yaml"));
  await untilPrinted("2", ...get("{.status.availableReplicas}", "prometheus/main"));
  await untilPrinted("3", ...get("{.status.availableReplicas}", "alertmanager/main"));
  const rules = "configmap/prometheus-main-rulefiles-0";
  await untilPrinted(rules, "get", rules, "-o", "name", "--ignore-not-found");
  kubectl("patch", "prometheus", "main", "--type=merge", "--patch", '{"spec":{"replicas":3}}');
  await untilPrinted("3", ...get("{.status.readyReplicas}", "statefulset/prometheus-main"));
  kubectl("delete", "alertmanager", "main");
  await untilPrinted("", "get", "statefulsets", "alertmanager-main", "--ignore-not-found");
  kubectl("delete", "-f", join(here, "monitoring.yaml"), "--ignore-not-found");
});
process.stdout.write("ok: prometheus-operator made, scaled and deleted its StatefulSets\n");
