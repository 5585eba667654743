import type { Draft } from "../../../meta/schema.ts";
import type { Container, EphemeralContainer } from "./container.ts";
import type { PodSpec } from "./spec.ts";
import type { Volume } from "../volume/schema.ts";

/** Defaults of Pods and templates alike; further ones of Pods alone are in `pod.ts`. */
export function defaultPodSpec(spec: Draft<PodSpec>): void {
  nameAccountTwice(spec);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const container of allContainers(spec)) container.imagePullPolicy ??= pullPolicy(container.image);
}

/** One field under two names, of which the newer wins. */
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

/** An image that may move is pulled each time, any other one once. */
function pullPolicy(image = ""): "Always" | "IfNotPresent" {
  return imageTag(image) === "latest" ? "Always" : "IfNotPresent";
}

/** `latest` where neither tag nor digest is given; empty for a digest alone, and for no reference at all. */
export function imageTag(image: string): string {
  const [reference = "", digest] = image.split("@");
  const colon = reference.indexOf(":", reference.lastIndexOf("/") + 1);
  const repository = colon < 0 ? reference : reference.slice(0, colon);
  const path = repository.includes("/") ? repository.slice(repository.indexOf("/") + 1) : repository;
  if (path === "" || path !== path.toLowerCase()) return "";
  if (colon >= 0) return reference.slice(colon + 1);
  return digest === undefined ? "latest" : "";
}
