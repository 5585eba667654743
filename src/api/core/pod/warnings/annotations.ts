import type { FieldPath } from "../../../../meta/field-error.ts";
import type { ObjectMeta } from "../../../../meta/v1.ts";
import { deepEqual } from "../../../../util/deep-equal.ts";
import type { PodSpec } from "../spec.ts";
import type { AppArmorProfile } from "../security.ts";
import { containersOf } from "../validation/os.ts";
import { table } from "../../../../util/table.ts";

const gone: Readonly<Record<string, string>> = table({
  "scheduler.alpha.kubernetes.io/critical-pod":
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
});
const seccompGone = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const appArmorOld = 'deprecated since v1.30; use the "appArmorProfile" field instead';

/** Warnings about annotations that fields have replaced. */
export function annotationWarnings(
  { metadata, spec }: { readonly metadata: ObjectMeta; readonly spec: PodSpec },
  path: FieldPath,
): readonly string[] {
  const annotations = metadata.annotations ?? {};
  const warning = (key: string, fate: string) =>
    annotations[key] === undefined
      ? []
      : [`${path.child("metadata", "annotations").key(key).toString()}: ${fate}`];
  const ofPod = spec.securityContext;
  const isTemplate = path.toString() !== "";
  return [
    ...Object.entries(gone).flatMap(([key, fate]) => warning(key, fate)),
    ...(ofPod?.seccompProfile === undefined
      ? warning("seccomp.security.alpha.kubernetes.io/pod", seccompGone)
      : []),
    ...[...containersOf(spec, path)].flatMap(([{ name, securityContext }]) => {
      const appArmor = `container.apparmor.security.beta.kubernetes.io/${name}`;
      const isSaid =
        securityContext?.appArmorProfile !== undefined ||
        (ofPod?.appArmorProfile !== undefined &&
          deepEqual(ofPod.appArmorProfile, profileOf(annotations[appArmor])));
      return [
        ...(securityContext?.seccompProfile === undefined
          ? warning(`container.seccomp.security.alpha.kubernetes.io/${name}`, seccompGone)
          : []),
        ...(isTemplate && !isSaid ? warning(appArmor, appArmorOld) : []),
      ];
    }),
  ];
}

/** The AppArmor profile that an annotation specifies. */
function profileOf(annotation = ""): AppArmorProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const [, localhostProfile] = /^localhost\/(.+)$/.exec(annotation) ?? [];
  return localhostProfile === undefined ? undefined : { type: "Localhost", localhostProfile };
}
