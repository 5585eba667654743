import { type FieldError, type FieldPath, invalid, requiredValue } from "../../../meta/field-error.ts";
import { labelProblems } from "../../../meta/validation/dns.ts";
import { report, validateDnsLabel, validateSubdomain } from "../../../meta/validation/report.ts";
import type { PersistentVolumeSpec } from "./schema.ts";
import type {
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  LocalVolumeSource,
} from "./drivers.ts";
import type { SecretReference } from "../v1/reference.ts";
import { validatePersistentIscsi } from "../volume/validation/iscsi.ts";
import { validatePathNoBacksteps } from "../validation/paths.ts";
import { validateDriverName } from "../volume/validation/volume.ts";
import { validateHostPath } from "../volume/validation/files.ts";
import {
  cinder,
  diskOf,
  storageOs,
  validateAzureDisk,
  validateFc,
  validateFlexVolume,
  validateFlocker,
  validateNfs,
  validateQuobyte,
} from "../volume/validation/drivers.ts";
import { needs, sourceRule, type SourceRule } from "../volume/validation/sources.ts";

/** The properties of the volume that its source depends on. */
interface Owner {
  /** Empty for an inline volume. */
  readonly name: string;
  readonly spec: PersistentVolumeSpec;
  readonly path: FieldPath;
}

const rule = sourceRule<PersistentVolumeSpec, Owner>();

export const persistentVolumeRules: readonly SourceRule<PersistentVolumeSpec, Owner>[] = [
  rule("hostPath", validateHostPath),
  rule("gcePersistentDisk", diskOf("pdName"), { at: "persistentDisk" }),
  rule("awsElasticBlockStore", diskOf("volumeID")),
  rule("glusterfs", validateGlusterfs),
  rule("flocker", validateFlocker),
  rule("nfs", validateNfs),
  rule("rbd", needs("monitors", "image")),
  rule("quobyte", validateQuobyte),
  rule("cephfs", needs("monitors"), { excess: "cephFS" }),
  rule("iscsi", validatePersistentIscsi),
  rule("cinder", cinder("name", "namespace")),
  rule("fc", validateFc),
  rule("flexVolume", validateFlexVolume, { excess: null }),
  rule("azureFile", function* (source, path) {
    yield* needs<typeof source>("secretName", "shareName")(source, path);
    if (source.secretNamespace === "") yield requiredValue(path.child("secretNamespace"));
  }),
  rule("vsphereVolume", needs("volumePath")),
  rule("photonPersistentDisk", needs("pdID")),
  rule("portworxVolume", needs("volumeID")),
  rule("azureDisk", validateAzureDisk),
  rule("scaleIO", needs("gateway", "system", "volumeName")),
  rule("local", validateLocal),
  rule("storageos", storageOs("name", "namespace")),
  rule("csi", validateCsi),
];

function* validateGlusterfs(source: GlusterfsPersistentVolumeSource, path: FieldPath): Generator<FieldError> {
  yield* needs<GlusterfsPersistentVolumeSource>("endpoints", "path")(source, path);
  const { endpointsNamespace: namespace } = source;
  if (namespace === undefined) return;
  const place = path.child("endpointsNamespace");
  if (namespace !== "") yield* report(place, namespace, labelProblems(namespace));
  else yield invalid(place, "", "if the endpointnamespace is set, it must be a valid namespace name");
}

function* validateLocal(
  { path: directory }: LocalVolumeSource,
  place: FieldPath,
  { spec, path }: Owner,
): Generator<FieldError> {
  if (directory === "") yield requiredValue(place.child("path"));
  else yield* validatePathNoBacksteps(directory, place.child("path"));
  if (spec.nodeAffinity === undefined) {
    yield requiredValue(path.child("nodeAffinity"), "Local volume requires node affinity");
  }
}

/** The Secrets that upstream validates. It does not validate the one for staging. */
const checkedSecrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

function* validateCsi(source: CSIPersistentVolumeSource, path: FieldPath): Generator<FieldError> {
  yield* validateDriverName(source.driver, path.child("driver"));
  if (source.volumeHandle === "") yield requiredValue(path.child("volumeHandle"));
  for (const field of checkedSecrets) {
    const secret = source[field];
    if (secret !== undefined) yield* validateSecret(secret, path.child(field));
  }
}

function* validateSecret({ name, namespace }: SecretReference, path: FieldPath): Generator<FieldError> {
  if (name === undefined) yield requiredValue(path.child("name"));
  else yield* validateSubdomain(name, path.child("name"));
  if (namespace === undefined) yield requiredValue(path.child("namespace"));
  else yield* validateDnsLabel(namespace, path.child("namespace"));
}
