import { isObject } from "../../util/is-object.ts";

/**
 * The fields of an OCI image configuration that running it needs (image-spec `config.md`). Unknown fields are
 * dropped when it is parsed.
 */
export interface ImageConfig {
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  /** `NAME=value` each. */
  readonly env: readonly string[];
  readonly workingDir: string;
  /** `user`, `uid`, `user:group`, …; empty for root. */
  readonly user: string;
  readonly stopSignal: string;
}

export const emptyImageConfig: ImageConfig = {
  entrypoint: [],
  cmd: [],
  env: [],
  workingDir: "",
  user: "",
  stopSignal: "",
};

/** A path of the host that is part of the image, mounted read-only. Only the host image has any. */
export interface ImageBind {
  readonly hostPath: string;
  readonly containerPath: string;
}

/** An image on this node, as recorded in `images/<id>.json`. */
export interface ImageRecord {
  /** The digest of the configuration. */
  readonly id: string;
  readonly config: ImageConfig;
  /** Chain IDs, lowest first. */
  readonly chain: readonly string[];
  readonly binds: readonly ImageBind[];
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  readonly sizeBytes: number;
  /** `hostFingerprint` of the host image's inputs; absent on all other images. */
  readonly madeFrom?: string;
  /** The keys of the build steps that had this image as their result: the build cache. */
  readonly buildKeys?: readonly string[];
}

/** The data that a runtime needs to run an image. */
export interface ResolvedImage {
  readonly id: string;
  readonly config: ImageConfig;
  /** The directory that holds the layers. */
  readonly layersDirectory: string;
  /** Names in `layersDirectory`, topmost first: overlayfs' order. */
  readonly layers: readonly string[];
  readonly binds: readonly ImageBind[];
}

/** Parses an OCI or Docker image configuration. @throws Error when it is invalid. */
export function parseImageConfig(json: string): { config: ImageConfig; diffIds: readonly string[] } {
  const document = asRecord(JSON.parse(json));
  const config = asRecord(document["config"] ?? {});
  const diffIds = strings(asRecord(document["rootfs"])["diff_ids"]);
  return {
    diffIds,
    config: {
      entrypoint: strings(config["Entrypoint"]),
      cmd: strings(config["Cmd"]),
      env: strings(config["Env"]),
      workingDir: text(config["WorkingDir"]),
      user: text(config["User"]),
      stopSignal: text(config["StopSignal"]),
    },
  };
}

/** The inverse of `parseImageConfig`, for images made here. */
export function formatImageConfig(config: ImageConfig, diffIds: readonly string[]): string {
  return JSON.stringify({
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    config: {
      Entrypoint: config.entrypoint,
      Cmd: config.cmd,
      Env: config.env,
      WorkingDir: config.workingDir,
      User: config.user,
      StopSignal: config.stopSignal,
    },
    rootfs: { type: "layers", diff_ids: diffIds },
  });
}

export function asRecord(value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw new Error("Cannot read image: not a JSON object");
  return value;
}

export function strings(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error("Cannot read image: not a list");
  return value.map(text);
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
