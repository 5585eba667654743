import type { KeyPair } from "./pki.ts";
import { writePrivate } from "./write-private.ts";

/** A kubeconfig for one user of one cluster, as YAML that is also JSON. */
export function kubeconfig(server: string, ca: string, user: KeyPair): string {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const name = "knarr";
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "certificate-authority-data": base64(ca) } }],
    users: [
      {
        name: "knarr-admin",
        user: { "client-certificate-data": base64(user.certificate), "client-key-data": base64(user.key) },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: "knarr-admin" } }],
    "current-context": name,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** Mode 0600: the file holds a key that opens everything. */
export function writeKubeconfig(path: string, server: string, ca: string, user: KeyPair): void {
  writePrivate(path, kubeconfig(server, ca, user));
}
