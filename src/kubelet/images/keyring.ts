import { isIPv6 } from "node:net";
import { fieldsOf } from "../../util/is-object.ts";
import type { RegistryCredentials } from "../runtime.ts";
import { parseReference } from "./reference.ts";

/** The largest pull secret that is read, in bytes. The API server refuses larger Secrets. */
const maxSecretBytes = 1024 * 1024;
/** The name of Docker Hub in `docker login`'s configuration. */
const defaultRegistry = "index.docker.io";

/** The credentials for the images of a registry, or of a part of it. */
interface Entry {
  /** A host, whose parts may have `*`, with a port where the key has one. */
  readonly host: string;
  /** The beginning of the image's path; empty for the whole registry. */
  readonly path: string;
  readonly credentials: RegistryCredentials;
}

/** The credentials of pull secrets, by the registries that they are for (kubelet `credentialprovider/keyring.go`). */
export class Keyring {
  readonly #entries: Entry[] = [];

  /** Adds a Secret of the type `kubernetes.io/dockerconfigjson`. @throws Error when it is not valid */
  addConfigJson(bytes: Uint8Array): void {
    this.#addAll(fieldsOf(fieldsOf(parse(bytes))["auths"]));
  }

  /** Adds a Secret of the type `kubernetes.io/dockercfg`. @throws Error when it is not valid */
  addConfig(bytes: Uint8Array): void {
    this.#addAll(fieldsOf(parse(bytes)));
  }

  /**
   * Returns the credentials for an image, those for the longest key first; none when it is pulled anonymously. @throws
   * RuntimeError InvalidImageName
   */
  lookup(image: string): readonly RegistryCredentials[] {
    const { registry, repository } = parseReference(image);
    const host = registry === "docker.io" ? defaultRegistry : registry;
    return this.#entries
      .filter((entry) => matches(entry, host, repository))
      .map(({ credentials }) => credentials);
  }

  #addAll(auths: Readonly<Record<string, unknown>>): void {
    for (const [key, value] of Object.entries(auths)) {
      const credentials = credentialsOf(fieldsOf(value), key);
      if (credentials !== undefined) this.#entries.push({ ...placeOf(key), credentials });
    }
    const keyOf = ({ host, path }: Entry) => `${host}/${path}`;
    this.#entries.sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
  }
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.length > maxSecretBytes) throw new Error("the pull secret is too large");
  return JSON.parse(Buffer.from(bytes).toString("utf8"));
}

/** Reads `auth`, which is `username:password` in base64, or both by name. */
function credentialsOf(
  { auth, username, password }: Readonly<Record<string, unknown>>,
  registry: string,
): RegistryCredentials | undefined {
  if (typeof username === "string" && username !== "" && typeof password === "string")
    return { username, password };
  if (typeof auth !== "string" || auth === "") return undefined;
  const text = Buffer.from(auth, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 1) throw new Error(`the pull secret's auth for ${registry} is not username:password`);
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Splits a key such as `https://index.docker.io/v1/` or `registry.test:5000/team`. */
function placeOf(key: string): { readonly host: string; readonly path: string } {
  const bare = key.replace(/^https?:\/\//, "");
  const slash = bare.indexOf("/");
  if (slash < 0) return { host: bare, path: "" };
  const path = bare.slice(slash + 1);
  // The version of the API is no part of an image's name.
  const isVersion = /^v[12](\/|$)/.test(path);
  return { host: bare.slice(0, slash), path: isVersion ? "" : path.replace(/\/$/, "") };
}

function matches({ host, path }: Entry, registry: string, repository: string): boolean {
  return repository.startsWith(path) && matchesHost(host, registry);
}

/** Compares the parts of both names, each with its pattern; the ports are equal. */
function matchesHost(pattern: string, host: string): boolean {
  const [wanted, name] = [split(pattern), split(host)];
  return (
    wanted.port === name.port &&
    wanted.parts.length === name.parts.length &&
    wanted.parts.every((part, index) => matchesPart(part, name.parts[index] ?? ""))
  );
}

function split(host: string): { readonly parts: readonly string[]; readonly port: string } {
  if (isIPv6(host)) return { parts: [host], port: "" };
  const [, name = "", port = ""] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return { parts: name.split("."), port };
}

/** Matches a part of a name with a pattern of `*`, in time proportional to their lengths' product at most. */
function matchesPart(pattern: string, text: string): boolean {
  const pieces = pattern.split("*");
  const [first = "", ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
