import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
  root,
  tooLong,
} from "../../../meta/field-error.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { validateSubdomain } from "../../../meta/validation/report.ts";
import { validateInlineVolume } from "../../core/persistent-volume/validation.ts";
import { validateDriverName } from "../../core/volume/validation/volume.ts";
import type { VolumeAttachment, VolumeAttachmentSource, VolumeError } from "./schema.ts";

const path = root.child("spec");
const statusPath = root.child("status");

const max = { metadataBytes: 256 * 1024, messageBytes: 1024 } as const;

export function* validateVolumeAttachment({ spec, status }: VolumeAttachment): Generator<FieldError> {
  yield* validateDriverName(spec.attacher, path.child("attacher"));
  yield* validateSource(spec.source, path.child("source"));
  yield* validateSubdomain(spec.nodeName, path.child("nodeName"));
  const metadata = Object.entries(status.attachmentMetadata ?? {})
    .flat()
    .join("");
  if (Buffer.byteLength(metadata) > max.metadataBytes) {
    yield tooLong(statusPath.child("attachmentMetadata"), max.metadataBytes);
  }
  for (const name of ["attachError", "detachError"] as const) {
    yield* validateError(status[name], statusPath.child(name));
  }
  const { persistentVolumeName: name } = spec.source;
  if (name !== undefined) yield* validateSubdomain(name, path.child("source", "persistentVolumeName"));
}

function* validateSource(
  { inlineVolumeSpec, persistentVolumeName: name }: VolumeAttachmentSource,
  place: FieldPath,
): Generator<FieldError> {
  const why = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (inlineVolumeSpec === undefined) {
    if (name === undefined) yield requiredValue(place, why);
    else if (name === "") {
      yield requiredValue(place.child("persistentVolumeName"), "must specify non empty persistentVolumeName");
    }
  } else if (name !== undefined) yield forbidden(place, why);
  else yield* validateInlineVolume(inlineVolumeSpec, place.child("inlineVolumeSpec"));
}

function* validateError(error: VolumeError | undefined, place: FieldPath): Generator<FieldError> {
  const { message = "", errorCode: code = 0 } = error ?? {};
  // The limit in upstream's message differs from the limit that it enforces.
  if (Buffer.byteLength(message) > max.messageBytes) yield tooLong(place.child("message"), max.metadataBytes);
  if (code < 0) yield invalid(place.child("errorCode"), code, "must be between 0 and 2147483647, inclusive");
}

export function* validateVolumeAttachmentUpdate(
  next: VolumeAttachment,
  old: VolumeAttachment,
): Generator<FieldError> {
  yield* validateImmutable(next.spec, old.spec, path);
}
