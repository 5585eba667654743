import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
  tooLong,
} from "../../../meta/field-error.ts";
import { parseQuantity } from "../../../meta/quantity.ts";
import { subdomainProblems } from "../../../meta/validation/dns.ts";
import { report, validateDnsLabel, validateOneOf } from "../../../meta/validation/report.ts";
import type { CSIVolumeSource, Volume } from "../v1/volume.ts";
import type { KeyToPath } from "../v1/volume-projection.ts";
import { validateFileMode, validatePathNoBacksteps } from "./paths.ts";
import { validateClaimTemplate } from "./persistent-volume-claim.ts";
import { validateDownwardFile, validateKeyToPath, validateProjected } from "./projection.ts";

/** The valid volumes by name, and what is wrong with the others. */
export interface CheckedVolumes {
  readonly byName: ReadonlyMap<string, Volume>;
  readonly issues: readonly FieldError[];
}

/** `podName`: of a Pod, not of a template; the claims of its ephemeral volumes are named after it. */
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
    const found = [...validateVolume(volume, byName.has(volume.name), podName !== undefined, place)];
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

function* validateVolume(
  volume: Volume,
  taken: boolean,
  isPod: boolean,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateSource(volume, isPod, path);
  if (volume.name === "") yield requiredValue(path.child("name"));
  else yield* validateDnsLabel(volume.name, path.child("name"));
  if (taken) yield duplicate(path.child("name"), volume.name);
}

function* validateSource(volume: Volume, isPod: boolean, path: FieldPath): Generator<FieldError> {
  // The first one in this order counts as meant, the others as too many.
  const { name: _, emptyDir, ...others } = volume;
  const set = Object.entries({ emptyDir, ...others }).filter(([, source]) => source !== undefined);
  const [first, ...excess] = set.map(([kind]) => kind);
  if (first === undefined) yield requiredValue(path, "must specify a volume type");
  else yield* validateChosen(volume, isPod, path);
  for (const kind of excess) {
    yield forbidden(path.child(kind), "may not specify more than 1 volume type");
  }
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
] as const;

/** Sources that more than a few clusters use; those of single vendors are checked by their drivers alone. */
function* validateChosen(volume: Volume, isPod: boolean, path: FieldPath): Generator<FieldError> {
  const { emptyDir, hostPath, secret, configMap, downwardAPI, projected, persistentVolumeClaim } = volume;
  if (emptyDir?.sizeLimit !== undefined && parseQuantity(emptyDir.sizeLimit).nanos < 0n) {
    yield forbidden(path.child("emptyDir", "sizeLimit"), "SizeLimit field must be a valid resource quantity");
  }
  if (hostPath !== undefined) yield* validateHostPath(hostPath, path.child("hostPath"));
  if (secret !== undefined) {
    yield* validateKeys(secret, "secretName", secret.secretName, path.child("secret"));
  }
  if (configMap !== undefined)
    yield* validateKeys(configMap, "name", configMap.name, path.child("configMap"));
  if (downwardAPI !== undefined) {
    const place = path.child("downwardAPI");
    yield* validateFileMode(downwardAPI.defaultMode, place.child("defaultMode"));
    for (const file of downwardAPI.items ?? []) yield* validateDownwardFile(file, place);
  }
  if (projected !== undefined) yield* validateProjected(projected, path.child("projected"));
  if (persistentVolumeClaim?.claimName === "") {
    yield requiredValue(path.child("persistentVolumeClaim", "claimName"));
  }
  yield* validateRemote(volume, isPod, path);
}

function* validateRemote(volume: Volume, isPod: boolean, path: FieldPath): Generator<FieldError> {
  const { nfs, csi, ephemeral, image } = volume;
  if (nfs !== undefined) yield* validateNfs(nfs, path.child("nfs"));
  if (csi !== undefined) yield* validateCsi(csi, path.child("csi"));
  if (ephemeral !== undefined) {
    const place = path.child("ephemeral", "volumeClaimTemplate");
    if (ephemeral.volumeClaimTemplate === undefined) yield requiredValue(place);
    else yield* validateClaimTemplate(ephemeral.volumeClaimTemplate, place);
  }
  if (image !== undefined) {
    const place = path.child("image");
    if (isPod && image.reference === undefined) yield requiredValue(place.child("reference"));
    yield* validateOneOf(image.pullPolicy, ["Always", "IfNotPresent", "Never"], place.child("pullPolicy"));
  }
}

export function* validateHostPath(
  { path, type }: { readonly path: string; readonly type?: string },
  place: FieldPath,
): Generator<FieldError> {
  if (path === "") {
    yield requiredValue(place.child("path"));
    return;
  }
  yield* validatePathNoBacksteps(path, place.child("path"));
  if (type !== undefined && type !== "") yield* validateOneOf(type, hostPathTypes, place.child("type"));
}

export function* validateNfs(
  { server, path }: { readonly server: string; readonly path: string },
  place: FieldPath,
): Generator<FieldError> {
  if (server === "") yield requiredValue(place.child("server"));
  if (path === "") yield requiredValue(place.child("path"));
  if (!path.startsWith("/")) yield invalid(place.child("path"), path, "must be an absolute path");
}

function* validateKeys(
  { items = [], defaultMode }: { readonly items?: readonly KeyToPath[]; readonly defaultMode?: number },
  field: string,
  name: string | undefined,
  path: FieldPath,
): Generator<FieldError> {
  if (name === undefined) yield requiredValue(path.child(field));
  yield* validateFileMode(defaultMode, path.child("defaultMode"));
  for (const [i, item] of items.entries()) yield* validateKeyToPath(item, path.child("items").index(i));
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
