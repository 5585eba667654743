import { dirname } from "node:path";
import type { Kubeconfig } from "../client/kubeconfig.ts";
import type { KeyPair } from "./key-pair.ts";
import { makePrivateDirectory, writePrivate, type WriteOptions } from "./write-private.ts";

/** Returns a kubeconfig for the administrator of one cluster. `name` is the context's and the cluster's. */
export function adminKubeconfig(server: string, ca: string, user: KeyPair, name = "knarr"): Kubeconfig {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const userName = `${name}-admin`;
  const credentials = {
    "client-certificate-data": base64(user.certificate),
    "client-key-data": base64(user.key),
  };
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "certificate-authority-data": base64(ca) } }],
    users: [{ name: userName, user: credentials }],
    contexts: [{ name, context: { cluster: name, user: userName } }],
    "current-context": name,
  };
}

/** Returns YAML that is also JSON. */
export function formatKubeconfig(config: Kubeconfig): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** Writes the file with mode 0600 by default: it holds an administrator's key. */
export function writeKubeconfig(path: string, config: Kubeconfig, options: WriteOptions = {}): void {
  makePrivateDirectory(dirname(path), options.owner);
  writePrivate(path, formatKubeconfig(config), options);
}
