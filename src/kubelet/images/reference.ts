import { RuntimeError } from "../runtime.ts";

/** A full image name: `docker.io/library/nginx:latest`. */
export interface ImageReference {
  /** Host and port, e.g. `docker.io` or `127.0.0.1:5000`. */
  readonly registry: string;
  /** The path in the registry, e.g. `library/nginx`. */
  readonly repository: string;
  /** `latest` when the user gave neither tag nor digest. */
  readonly tag?: string;
  /** `sha256:…`; takes precedence over the tag. */
  readonly digest?: string;
}

const label = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = new RegExp(`^(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`);
const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const path = new RegExp(`^${component}(?:/${component})*$`);
const tagPattern = /^\w[\w.-]{0,127}$/;
const digestPattern = /^sha256:[a-f0-9]{64}$/;

/**
 * Parses a reference as `docker` and the kubelet do (grammar: distribution/reference).
 * @throws RuntimeError `InvalidImageName`.
 */
export function parseReference(text: string): ImageReference {
  const [name, digest, ...excess] = text.split("@");
  if (name === undefined || name === "" || excess.length > 0) throw invalid(text);
  if (digest !== undefined && !digestPattern.test(digest)) throw invalid(text);

  const slash = name.indexOf("/");
  const head = name.slice(0, Math.max(slash, 0));
  const hasDomain = slash > 0 && (/[.:A-Z]/.test(head) || head === "localhost");
  const rest = hasDomain ? name.slice(slash + 1) : name;
  const registry = !hasDomain || head === "index.docker.io" ? "docker.io" : head;

  const colon = rest.lastIndexOf(":");
  const bare = colon < 0 ? rest : rest.slice(0, colon);
  const tag = colon < 0 ? undefined : rest.slice(colon + 1);
  const repository = registry === "docker.io" && !bare.includes("/") ? `library/${bare}` : bare;

  if (bare !== bare.toLowerCase()) throw invalid(text, `repository name (${repository}) must be lowercase`);
  if (!domain.test(registry) || !path.test(repository) || repository.length > 255) throw invalid(text);
  if (tag !== undefined && !tagPattern.test(tag)) throw invalid(text);
  if (/^[a-f0-9]{64}$/.test(text)) throw invalid(text, "cannot specify 64-byte hexadecimal strings");
  return {
    registry,
    repository,
    ...(tag !== undefined ? { tag } : digest === undefined ? { tag: "latest" } : {}),
    ...(digest !== undefined && { digest }),
  };
}

/** Returns `registry/repository:tag`, the form in which tags are stored and reported. */
export function tagName(reference: ImageReference): string {
  return `${repositoryName(reference)}:${reference.tag ?? "latest"}`;
}

/** Returns `registry/repository@sha256:…`, as reported in `repoDigests`. */
export function digestName(reference: ImageReference, digest: string): string {
  return `${repositoryName(reference)}@${digest}`;
}

function repositoryName(reference: ImageReference): string {
  return `${reference.registry}/${reference.repository}`;
}

function invalid(text: string, detail?: string): RuntimeError {
  const why = `invalid reference format${detail === undefined ? "" : `: ${detail}`}`;
  return new RuntimeError("InvalidImageName", `couldn't parse image name "${text}": ${why}`);
}
