import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { delimiter, dirname, resolve } from "node:path";
import { parse, stringify } from "yaml";
import { ConfigError } from "./errors.ts";
import type { Connection } from "./http.ts";

/** The fields of the file format of `kubectl config` (client-go `clientcmd/api/v1`) that Knarr reads and writes. */
export interface Kubeconfig {
  readonly apiVersion: "v1";
  readonly kind: "Config";
  readonly "current-context"?: string;
  readonly clusters: readonly { readonly name: string; readonly cluster: Cluster }[];
  readonly users: readonly { readonly name: string; readonly user: User }[];
  readonly contexts: readonly { readonly name: string; readonly context: Context }[];
}

export interface Cluster {
  readonly server: string;
  /** Base64 of PEM. */
  readonly "certificate-authority-data"?: string;
  readonly "certificate-authority"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
}

export interface User {
  /** Base64 of PEM. */
  readonly "client-certificate-data"?: string;
  readonly "client-certificate"?: string;
  readonly "client-key-data"?: string;
  readonly "client-key"?: string;
  readonly token?: string;
  readonly tokenFile?: string;
}

export interface Context {
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string;
}

/** Returns the files to read: those that `KUBECONFIG` (given as `variable`) names, else `~/.kube/config`. */
export function kubeconfigPaths(variable: string | undefined, home: string): readonly string[] {
  const named = (variable ?? "").split(delimiter).filter((path) => path !== "");
  return named.length > 0 ? named : [resolve(home, ".kube/config")];
}

/**
 * Reads and merges kubeconfigs; an earlier file wins over a later one. Files that do not exist are skipped. Paths in a
 * file are relative to it, and are returned absolute.
 * @throws ConfigError when a file cannot be read or is no kubeconfig.
 */
export async function loadKubeconfig(paths: readonly string[]): Promise<Kubeconfig> {
  const files: Kubeconfig[] = [];
  for (const path of paths) {
    const file = await readConfig(resolve(path));
    if (file !== undefined) files.push(file);
  }
  const current = files
    .map((file) => file["current-context"])
    .find((name) => name !== undefined && name !== "");
  return {
    apiVersion: "v1",
    kind: "Config",
    ...(current === undefined ? {} : { "current-context": current }),
    clusters: firstByName(files.flatMap(({ clusters }) => clusters)),
    users: firstByName(files.flatMap(({ users }) => users)),
    contexts: firstByName(files.flatMap(({ contexts }) => contexts)),
  };
}

async function readConfig(path: string): Promise<Kubeconfig | undefined> {
  let value: unknown;
  try {
    value = parse(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new ConfigError(`Cannot read kubeconfig ${path}: ${String(error)}`, { cause: error });
  }
  if (value === null) return undefined;
  if (typeof value !== "object") throw new ConfigError(`Cannot read kubeconfig ${path}: it is no mapping`);
  // The file is trusted to have the form of a kubeconfig, except that Go writes empty lists as null.
  const { clusters, users, contexts, ...rest } = value as { [K in keyof Kubeconfig]: Kubeconfig[K] | null };
  const absolute = <T extends object>(settings: T, keys: readonly (keyof T)[]): T => {
    const found = keys.filter((key) => typeof settings[key] === "string" && settings[key] !== "");
    const paths = found.map((key) => [key, resolve(dirname(path), String(settings[key]))] as const);
    return { ...settings, ...Object.fromEntries(paths) };
  };
  return {
    apiVersion: "v1",
    kind: "Config",
    ...(rest["current-context"] === null ? {} : { "current-context": rest["current-context"] }),
    contexts: contexts ?? [],
    clusters: (clusters ?? []).map(({ name, cluster }) => ({
      name,
      cluster: absolute(cluster, ["certificate-authority"]),
    })),
    users: (users ?? []).map(({ name, user }) => ({
      name,
      user: absolute(user ?? {}, ["client-certificate", "client-key", "tokenFile"]),
    })),
  };
}

function firstByName<T extends { readonly name: string }>(entries: readonly T[]): readonly T[] {
  return [...new Map(entries.toReversed().map((entry) => [entry.name, entry])).values()].reverse();
}

/** A context with the cluster and the user that it names. */
export interface ResolvedContext {
  readonly connection: Connection;
  /** The namespace of requests that name none. */
  readonly namespace: string;
}

/**
 * Resolves a context; without a name, the current one.
 * @throws ConfigError when the context names something that does not exist.
 */
export async function resolveContext(
  config: Kubeconfig,
  name = config["current-context"],
): Promise<ResolvedContext> {
  if (name === undefined || name === "")
    throw new ConfigError("Cannot choose a context: there is no current one");
  const context = config.contexts.find((one) => one.name === name)?.context;
  if (context === undefined) throw new ConfigError(`Cannot use context ${name}: there is none of this name`);
  const cluster = config.clusters.find((one) => one.name === context.cluster)?.cluster;
  if (cluster === undefined)
    throw new ConfigError(`Cannot use context ${name}: cluster ${context.cluster} is missing`);
  const user = config.users.find((one) => one.name === context.user)?.user ?? {};
  const ca = await pem(cluster["certificate-authority-data"], cluster["certificate-authority"]);
  const certificate = await pem(user["client-certificate-data"], user["client-certificate"]);
  const key = await pem(user["client-key-data"], user["client-key"]);
  const serverName = cluster["tls-server-name"];
  const token = tokenSource(user);
  return {
    namespace: context.namespace ?? "default",
    connection: {
      server: cluster.server,
      insecure: cluster["insecure-skip-tls-verify"] ?? false,
      ...(ca === undefined ? {} : { ca }),
      ...(certificate === undefined || key === undefined ? {} : { certificate: { certificate, key } }),
      ...(serverName === undefined ? {} : { serverName }),
      ...(token === undefined ? {} : { token }),
    },
  };
}

/** Returns the inline data if given, else the file's content, as upstream does. */
async function pem(data: string | undefined, path: string | undefined): Promise<string | undefined> {
  if (data !== undefined && data !== "") return Buffer.from(data, "base64").toString();
  return path === undefined || path === "" ? undefined : readSecret(path);
}

/** Returns the token; a token file is read for each request, because it may be rotated. */
function tokenSource({ token, tokenFile }: User): Connection["token"] {
  if (tokenFile !== undefined && tokenFile !== "") return async () => (await readSecret(tokenFile)).trim();
  return token === undefined || token === "" ? undefined : () => token;
}

async function readSecret(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new ConfigError(`Cannot read ${path}: ${String(error)}`, { cause: error });
  }
}

/** Writes a kubeconfig that only its owner can read. Readers see the old file or the new one, never a part. */
export async function writeKubeconfig(path: string, config: Kubeconfig): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.new`;
  await writeFile(temporary, stringify(config), { mode: 0o600 });
  // The mode above counts only for a file that did not exist.
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
