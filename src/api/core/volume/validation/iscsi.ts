import { type FieldError, type FieldPath, invalid, requiredValue } from "../../../../meta/field-error.ts";
import { rangeProblems } from "../../../../meta/validation/number.ts";
import { report } from "../../../../meta/validation/report.ts";
import type { ISCSIPersistentVolumeSource } from "../../persistent-volume/drivers.ts";
import type { ISCSIVolumeSource } from "../drivers.ts";
import { table } from "../../../../util/table.ts";

/** The formats of iSCSI names by prefix (RFC 3720, 3.2.6). They are as lenient as upstream's expressions. */
const formats: Readonly<Record<string, RegExp>> = table({
  iqn: /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9.-]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[a-zA-Z0-9]{16}$/u,
  naa: /^naa.[a-zA-Z0-9]{32}$/u,
});

const malformed = "must be valid format";

function nameProblems(name: string, unknown: string): readonly string[] {
  const format = formats[name.slice(0, 3)];
  if (format === undefined) return [unknown];
  return format.test(name) ? [] : [malformed];
}

type Source = ISCSIVolumeSource | ISCSIPersistentVolumeSource;

/** `unknown` is the message for a name of unknown format. */
function* validateTarget({ iqn }: Source, unknown: string, path: FieldPath): Generator<FieldError> {
  if (iqn === "") yield requiredValue(path.child("iqn"));
  else yield* report(path.child("iqn"), iqn, nameProblems(iqn, unknown));
}

function* validateRest(source: Source, path: FieldPath): Generator<FieldError> {
  const { lun, chapAuthDiscovery, chapAuthSession, secretRef } = source;
  yield* report(path.child("lun"), lun, rangeProblems(lun, 0, 255));
  if ((chapAuthDiscovery === true || chapAuthSession === true) && secretRef === undefined) {
    yield requiredValue(path.child("secretRef"));
  }
}

function* validateInitiator(
  name: string | undefined,
  unknown: string,
  path: FieldPath,
): Generator<FieldError> {
  if (name !== undefined) yield* report(path.child("initiatorname"), name, nameProblems(name, unknown));
}

export function* validateIscsi(source: ISCSIVolumeSource, path: FieldPath): Generator<FieldError> {
  const unknown = `${malformed} starting with iqn, eui, or naa`;
  if (source.targetPortal === "") yield requiredValue(path.child("targetPortal"));
  yield* validateTarget(source, unknown, path);
  yield* validateRest(source, path);
  yield* validateInitiator(source.initiatorName, unknown, path);
}

/**
 * Reports whether volume name and portal are too long. With an initiator name, both form the name of an
 * interface on the node.
 */
export const isInterfaceTooLong = (volume: string, { targetPortal, initiatorName }: Source): boolean =>
  initiatorName !== undefined && Buffer.byteLength(`${volume}:${targetPortal}`) > 64;

export const interfaceTooLong =
  "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";

export function* validatePersistentIscsi(
  source: ISCSIPersistentVolumeSource,
  path: FieldPath,
  { name }: { readonly name: string },
): Generator<FieldError> {
  const { targetPortal, secretRef } = source;
  if (targetPortal === "") yield requiredValue(path.child("targetPortal"));
  if (isInterfaceTooLong(name, source)) {
    yield invalid(path.child("targetportal"), targetPortal, interfaceTooLong);
  }
  yield* validateTarget(source, malformed, path);
  yield* validateRest(source, path);
  if (secretRef !== undefined && secretRef.name === undefined) {
    yield requiredValue(path.child("secretRef", "name"));
  }
  yield* validateInitiator(source.initiatorName, malformed, path);
}
