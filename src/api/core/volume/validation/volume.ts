import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  requiredValue,
  tooLong,
} from "../../../../meta/field-error.ts";
import { subdomainProblems } from "../../../../meta/validation/dns.ts";
import { report, validateDnsLabel, validateOneOf } from "../../../../meta/validation/report.ts";
import type { CSIVolumeSource, EphemeralVolumeSource, ImageVolumeSource, Volume } from "../schema.ts";
import { interfaceTooLong, isInterfaceTooLong, validateIscsi } from "./iscsi.ts";
import { validateClaimTemplate } from "../../persistent-volume-claim/validation.ts";
import { validateProjected } from "./projection.ts";
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
} from "./drivers.ts";
import {
  validateDownward,
  validateEmptyDir,
  validateGitRepo,
  validateHostPath,
  validateKeys,
} from "./files.ts";
import { needs, sourceRule, validateSources } from "./sources.ts";

/** The valid volumes by name, and the errors of the other volumes. */
export interface CheckedVolumes {
  readonly byName: ReadonlyMap<string, Volume>;
  readonly issues: readonly FieldError[];
}

/**
 * `podName` is undefined for a template. A Pod's name is part of the names of the claims of its ephemeral
 * volumes.
 */
export function checkVolumes(
  volumes: readonly Volume[],
  podName: string | undefined,
  path: FieldPath,
): CheckedVolumes {
  const byName = new Map<string, Volume>();
  const issues: FieldError[] = [];
  const ownClaims = new Set(
    podName === undefined
      ? []
      : volumes.filter(({ ephemeral }) => ephemeral !== undefined).map(({ name }) => `${podName}-${name}`),
  );
  for (const [i, volume] of volumes.entries()) {
    const place = path.index(i);
    const found = [...validateVolume(volume, byName.has(volume.name), { podName, volume, path: place })];
    if (found.length === 0) byName.set(volume.name, volume);
    issues.push(...found);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && ownClaims.has(claim)) {
      issues.push(
        invalid(
          place.child("persistentVolumeClaim", "claimName"),
          claim,
          "must not reference a PVC that gets created for an ephemeral volume",
        ),
      );
    }
  }
  return { byName, issues };
}

function* validateVolume(volume: Volume, taken: boolean, owner: Owner): Generator<FieldError> {
  const { path } = owner;
  yield* validateSources(volume, rules, owner, path);
  if (volume.iscsi !== undefined && isInterfaceTooLong(volume.name, volume.iscsi)) {
    yield invalid(path.child("name"), volume.name, interfaceTooLong);
  }
  if (volume.name === "") yield requiredValue(path.child("name"));
  else yield* validateDnsLabel(volume.name, path.child("name"));
  if (taken) yield duplicate(path.child("name"), volume.name);
}

/** The information that the rules of sources depend on. */
interface Owner {
  /** Undefined for a template. */
  readonly podName: string | undefined;
  readonly volume: Volume;
  readonly path: FieldPath;
}

const rule = sourceRule<Volume, Owner>();

const rules = [
  rule("emptyDir", validateEmptyDir),
  rule("hostPath", validateHostPath),
  rule("gitRepo", validateGitRepo),
  rule("gcePersistentDisk", diskOf("pdName"), { at: "persistentDisk" }),
  rule("awsElasticBlockStore", diskOf("volumeID")),
  rule("secret", (secret, path) => validateKeys(secret, "secretName", secret.secretName, path)),
  rule("nfs", validateNfs),
  rule("iscsi", validateIscsi),
  rule("glusterfs", needs("endpoints", "path")),
  rule("flocker", validateFlocker),
  rule("persistentVolumeClaim", needs("claimName")),
  rule("rbd", needs("monitors", "image")),
  rule("cinder", cinder("name")),
  rule("cephfs", needs("monitors"), { excess: "cephFS" }),
  rule("quobyte", validateQuobyte),
  rule("downwardAPI", validateDownward, { excess: "downwarAPI" }),
  rule("fc", validateFc),
  rule("flexVolume", validateFlexVolume),
  rule("configMap", (map, path) => validateKeys(map, "name", map.name, path)),
  rule("azureFile", needs("secretName", "shareName")),
  rule("vsphereVolume", needs("volumePath")),
  rule("photonPersistentDisk", needs("pdID")),
  rule("portworxVolume", needs("volumeID")),
  rule("azureDisk", validateAzureDisk),
  rule("storageos", storageOs("name")),
  rule("projected", validateProjected),
  rule("scaleIO", needs("gateway", "system", "volumeName")),
  rule("csi", validateCsi),
  rule("ephemeral", validateEphemeral),
  rule("image", validateImage),
];

/** Validates an ephemeral volume. The claim's name consists of the names of Pod and volume. */
function* validateEphemeral(
  { volumeClaimTemplate }: EphemeralVolumeSource,
  place: FieldPath,
  { podName = "", volume: { name }, path }: Owner,
): Generator<FieldError> {
  const template = place.child("volumeClaimTemplate");
  if (volumeClaimTemplate === undefined) yield requiredValue(template);
  else yield* validateClaimTemplate(volumeClaimTemplate, template);
  if (podName === "" || name === "") return;
  const claim = `${podName}-${name}`;
  for (const problem of subdomainProblems(claim)) {
    yield invalid(path.child("name"), name, `PVC name ${JSON.stringify(claim)}: ${problem}`);
  }
}

function* validateImage(
  { reference, pullPolicy }: ImageVolumeSource,
  path: FieldPath,
  { podName }: Owner,
): Generator<FieldError> {
  if (podName !== undefined && reference === undefined) yield requiredValue(path.child("reference"));
  yield* validateOneOf(pullPolicy, ["Always", "IfNotPresent", "Never"], path.child("pullPolicy"));
}

function* validateCsi(
  { driver, nodePublishSecretRef }: CSIVolumeSource,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateDriverName(driver, path.child("driver"));
  if (nodePublishSecretRef === undefined) return;
  const { name } = nodePublishSecretRef;
  if (name === undefined) yield requiredValue(path.child("nodePublishSecretRef", "name"));
  else yield* report(path.child("name"), name, subdomainProblems(name));
}

export function* validateDriverName(name: string, path: FieldPath): Generator<FieldError> {
  if (name === "") {
    yield requiredValue(path);
    return;
  }
  if (name.length > 63) yield tooLong(path, 63);
  yield* report(path, name, subdomainProblems(name.toLowerCase()));
}
