import type { Draft } from "../../../meta/schema.ts";
import type { Container, EphemeralContainer } from "./container.ts";
import type { PodSpec } from "./spec.ts";
import type { Volume } from "../volume/schema.ts";

/** Defaults that Pods and templates share. The defaults of Pods only are in `defaults.ts`. */
export function defaultPodSpec(spec: Draft<PodSpec>): void {
  nameAccountTwice(spec);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const container of allContainers(spec)) container.imagePullPolicy ??= pullPolicy(container.image);
}

/** Copies the ServiceAccount's name to the deprecated field. The newer field takes precedence. */
function nameAccountTwice(spec: Draft<PodSpec>): void {
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account === undefined) return;
  spec.serviceAccountName = account;
  spec.serviceAccount = account;
}

function allContainers(spec: Draft<PodSpec>): readonly Draft<Container | EphemeralContainer>[] {
  return [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
}

function defaultVolume(volume: Draft<Volume>): void {
  const { name: _, ...source } = volume;
  if (Object.values(source).every((one) => one === undefined)) volume.emptyDir = {};
  if (volume.image !== undefined) volume.image.pullPolicy ??= pullPolicy(volume.image.reference);
}

/** Defaults to Always for the tag `latest`, which may change, otherwise to IfNotPresent. */
function pullPolicy(image = ""): "Always" | "IfNotPresent" {
  return imageTag(image) === "latest" ? "Always" : "IfNotPresent";
}

/**
 * Returns the image's tag: `latest` without tag and digest; empty for a digest only, and for an empty
 * reference.
 */
export function imageTag(image: string): string {
  const [reference = "", digest] = image.split("@");
  const colon = reference.indexOf(":", reference.lastIndexOf("/") + 1);
  const repository = colon < 0 ? reference : reference.slice(0, colon);
  const path = repository.includes("/") ? repository.slice(repository.indexOf("/") + 1) : repository;
  if (path === "" || path !== path.toLowerCase()) return "";
  if (colon >= 0) return reference.slice(colon + 1);
  return digest === undefined ? "latest" : "";
}
