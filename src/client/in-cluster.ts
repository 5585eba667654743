import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "./errors.ts";
import type { ResolvedContext } from "./kubeconfig.ts";

const defaultDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Returns the connection of a program in a Pod (client-go `rest.InClusterConfig`). The kubelet's variables name the API
 * server; the ServiceAccount's files are in `directory`. The token is read for each request because it is rotated.
 * @throws ConfigError outside of a Pod.
 */
export async function inClusterContext(
  variables: Readonly<Record<string, string | undefined>>,
  directory = defaultDirectory,
): Promise<ResolvedContext> {
  const [host, port] = [variables["KUBERNETES_SERVICE_HOST"], variables["KUBERNETES_SERVICE_PORT"]];
  if (host === undefined || host === "" || port === undefined || port === "") {
    throw new ConfigError(
      "Cannot connect from inside a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined",
    );
  }
  const read = async (name: string) => {
    const path = join(directory, name);
    try {
      return await readFile(path, "utf8");
    } catch (error) {
      throw new ConfigError(`Cannot connect from inside a cluster: cannot read ${path}: ${String(error)}`, {
        cause: error,
      });
    }
  };
  await read("token");
  return {
    namespace: (await read("namespace").catch(() => "default")).trim() || "default",
    connection: {
      server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
      ca: await read("ca.crt"),
      token: async () => (await read("token")).trim(),
    },
  };
}
