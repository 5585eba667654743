import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
} from "../../../../meta/field-error.ts";
import { validateLabelSelector } from "../../../../meta/validation/labels.ts";
import type {
  ClusterTrustBundleProjection,
  DownwardAPIVolumeFile,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from "../projection.ts";
import { validateFieldRef, validateResourceFieldRef } from "../../pod/validation/env.ts";
import { validateFileMode, validateUnreservedPath } from "../../validation/paths.ts";

export function* validateKeyToPath({ key, path, mode }: KeyToPath, place: FieldPath): Generator<FieldError> {
  if (key === "") yield requiredValue(place.child("key"));
  if (path === "") yield requiredValue(place.child("path"));
  yield* validateUnreservedPath(path, place.child("path"));
  yield* validateFileMode(mode, place.child("mode"));
}

const fileFields = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
] as const;

export function* validateDownwardFile(
  { path, fieldRef, resourceFieldRef, mode }: DownwardAPIVolumeFile,
  place: FieldPath,
): Generator<FieldError> {
  if (path === "") yield requiredValue(place.child("path"));
  yield* validateUnreservedPath(path, place.child("path"));
  if (fieldRef !== undefined) {
    yield* validateFieldRef(fieldRef, fileFields, place.child("fieldRef"));
    if (resourceFieldRef !== undefined) {
      yield invalid(place, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (resourceFieldRef !== undefined) {
    yield* validateResourceFieldRef(resourceFieldRef, place.child("resourceFieldRef"), true);
  } else yield requiredValue(place, "one of fieldRef and resourceFieldRef is required");
  yield* validateFileMode(mode, place.child("mode"));
}

/** The paths that the sources of one projected volume use. Sources share one directory. */
class TakenPaths {
  readonly #paths = new Set<string>();
  readonly #place: FieldPath;

  constructor(place: FieldPath) {
    this.#place = place;
  }

  /** `value` is the value in the message. */
  *take(path: string | undefined, value: string | undefined = path): Generator<FieldError> {
    if (path === undefined || path === "") return;
    if (this.#paths.has(path)) yield invalid(this.#place, value ?? "", "conflicting duplicate paths");
    this.#paths.add(path);
  }
}

export function* validateProjected(
  { sources, defaultMode }: ProjectedVolumeSource,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateFileMode(defaultMode, path.child("defaultMode"));
  const taken = new TakenPaths(path);
  for (const [i, source] of sources.entries()) {
    const place = path.child("sources").index(i);
    yield* validateSource(source, taken, place, path);
    if (Object.values(source).filter((one) => one !== undefined).length > 1) {
      yield forbidden(place, "may not specify more than 1 volume type per source");
    }
  }
}

function* validateSource(
  source: VolumeProjection,
  taken: TakenPaths,
  place: FieldPath,
  volume: FieldPath,
): Generator<FieldError> {
  for (const kind of ["secret", "configMap"] as const) {
    const keys = source[kind];
    if (keys !== undefined) yield* validateKeys(keys, taken, place.child(kind));
  }
  for (const file of source.downwardAPI?.items ?? []) {
    yield* validateDownwardFile(file, place.child("downwardAPI"));
    yield* taken.take(file.path);
  }
  if (source.serviceAccountToken !== undefined) {
    yield* validateToken(source.serviceAccountToken, place.child("serviceAccountToken"), volume);
  }
  if (source.clusterTrustBundle !== undefined) {
    yield* validateTrustBundle(source.clusterTrustBundle, place.child("clusterTrustBundle"));
    yield* taken.take(source.clusterTrustBundle.path);
  }
  if (source.podCertificate !== undefined) {
    yield* validateCertificate(source.podCertificate, taken, place.child("podCertificate"));
  }
}

function* validateKeys(
  { name, items = [] }: { readonly name?: string; readonly items?: readonly KeyToPath[] },
  taken: TakenPaths,
  place: FieldPath,
): Generator<FieldError> {
  if (name === undefined) yield requiredValue(place.child("name"));
  for (const [i, item] of items.entries()) {
    yield* validateKeyToPath(item, place.child("items").index(i));
    yield* taken.take(item.path, name);
  }
}

/** Validates a token. Upstream reports errors of the path at the volume. */
function* validateToken(
  { expirationSeconds = 0, path }: ServiceAccountTokenProjection,
  place: FieldPath,
  volume: FieldPath,
): Generator<FieldError> {
  const expiration = place.child("expirationSeconds");
  if (expirationSeconds < 600) {
    yield invalid(expiration, expirationSeconds, "may not specify a duration less than 10 minutes");
  }
  if (expirationSeconds > 2 ** 32) {
    yield invalid(expiration, expirationSeconds, "may not specify a duration larger than 2^32 seconds");
  }
  if (path === "") yield requiredValue(volume.child("path"));
  else yield* validateUnreservedPath(path, volume.child("path"));
}

function* validateTrustBundle(bundle: ClusterTrustBundleProjection, place: FieldPath): Generator<FieldError> {
  const { name, signerName, labelSelector, path } = bundle;
  if (name !== undefined && signerName !== undefined) {
    yield invalid(place, bundle, "only one of name and signerName may be used");
  } else if (name !== undefined) {
    if (name === "") yield requiredValue(place.child("name"), "must be a valid object name");
    if (labelSelector !== undefined) {
      yield invalid(
        place.child("labelSelector"),
        labelSelector,
        "labelSelector must be unset if name is specified",
      );
    }
  } else if (signerName !== undefined) {
    if (signerName === "") yield requiredValue(place.child("signerName"), "must be a valid signer name");
    yield* validateLabelSelector(labelSelector, place.child("labelSelector"));
  } else yield requiredValue(place, "either name or signerName must be specified");
  if (path === "") yield requiredValue(place.child("path"));
  yield* validateUnreservedPath(path, place.child("path"));
}

const keyTypes = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"] as const;

function* validateCertificate(
  projection: PodCertificateProjection,
  taken: TakenPaths,
  place: FieldPath,
): Generator<FieldError> {
  const { keyType = "", maxExpirationSeconds: most } = projection;
  if (!keyTypes.some((one) => one === keyType)) yield notSupported(place.child("keyType"), keyType, keyTypes);
  if (most !== undefined && most < 3600) {
    yield invalid(
      place.child("maxExpirationSeconds"),
      most,
      "if provided, maxExpirationSeconds must be >= 3600",
    );
  }
  let files = 0;
  for (const name of ["credentialBundlePath", "keyPath", "certificateChainPath"] as const) {
    const file = projection[name];
    if (file === undefined) continue;
    files += 1;
    yield* validateUnreservedPath(file, place.child(name));
    yield* taken.take(file);
  }
  if (files === 0) {
    yield requiredValue(
      place,
      "specify at least one of credentialBundlePath, keyPath, and certificateChainPath",
    );
  }
}
