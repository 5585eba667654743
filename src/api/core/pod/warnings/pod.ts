import { type FieldPath, root } from "../../../../meta/field-error.ts";
import type { ObjectMeta } from "../../../../meta/v1.ts";
import { deprecatedLabels } from "../../deprecated-labels.ts";
import type { Container, EphemeralContainer } from "../container.ts";
import type { EnvVar } from "../env.ts";
import type { PodSpec, PodTemplateSpec } from "../spec.ts";
import type { PodAffinityTerm } from "../../v1/scheduling.ts";
import type { Volume } from "../../volume/schema.ts";
import { containersOf } from "../validation/os.ts";
import { annotationWarnings } from "./annotations.ts";
import { fractionWarnings } from "../../warnings/fractions.ts";
import { ipWarnings } from "../../warnings/ip.ts";
import { podNameWarnings } from "./names.ts";
import { termWarnings } from "../../warnings/node-labels.ts";
import { pathWarnings } from "./paths.ts";
import { portWarnings } from "./ports.ts";
import { claimSpecWarnings } from "../../persistent-volume-claim/warnings.ts";

interface Described {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

interface Versioned {
  readonly metadata: ObjectMeta;
}

/**
 * Warnings about fields that are deprecated, duplicate or without effect (upstream
 * `pkg/api/pod/warnings.go`).
 */
export function podWarnings(pod: Described): readonly string[] {
  return warningsOf(pod, root);
}

/** Warnings about a template. */
export function templateWarnings(template: PodTemplateSpec, path: FieldPath): readonly string[] {
  return warningsOf(template, path);
}

/** Reports whether the object is new or its spec changed. Other writes get no warnings. */
export function isChanged(object: Versioned, old: Versioned | undefined): boolean {
  return old === undefined || object.metadata.generation !== old.metadata.generation;
}

/** Warnings about a controller with replicas: its name, which Pods inherit, and its template. */
export function replicasWarnings<
  T extends Versioned & { readonly spec: { readonly template?: PodTemplateSpec } },
>(object: T, old: T | undefined): readonly string[] {
  const { template } = object.spec;
  return [
    ...(old === undefined ? podNameWarnings(object.metadata.name) : []),
    ...(template === undefined || !isChanged(object, old)
      ? []
      : templateWarnings(template, root.child("spec", "template"))),
  ];
}

function warningsOf(described: Described, path: FieldPath): readonly string[] {
  const { spec } = described;
  const at = path.child("spec");
  return [
    ...placementWarnings(spec, at),
    ...annotationWarnings(described, path),
    ...(spec.volumes ?? []).flatMap((volume, i) => volumeWarnings(volume, at.child("volumes").index(i))),
    ...(spec.volumes ?? []).flatMap(pathWarnings),
    ...repeated(
      (spec.hostAliases ?? []).map(({ ip }) => ip),
      "ip",
      at.child("hostAliases"),
    ),
    ...secretWarnings(spec, at.child("imagePullSecrets")),
    ...fractionWarnings(spec.overhead, byteResources, at.child("overhead")),
    ...[...containersOf(spec, at)].flatMap(([container, place]) => containerWarnings(container, place)),
    ...portWarnings(spec, at),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [
          `${at.child("terminationGracePeriodSeconds").toString()}: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(spec, at.child("affinity")),
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((one, i) =>
      ipWarnings(one, at.child("dnsConfig", "nameservers").index(i)),
    ),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, i) =>
      ipWarnings(ip, at.child("hostAliases").index(i).child("ip")),
    ),
  ];
}

const byteResources = ["memory", "ephemeral-storage"];

/** Warnings about deprecated node labels and empty selectors. */
function placementWarnings(spec: PodSpec, at: FieldPath): readonly string[] {
  const { nodeSelector = {}, affinity, topologySpreadConstraints = [] } = spec;
  const node = at.child("affinity", "nodeAffinity");
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
  const terms = node.child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms");
  const wishes = node.child("preferredDuringSchedulingIgnoredDuringExecution");
  return [
    ...Object.keys(nodeSelector).flatMap((key) =>
      deprecatedLabels[key] === undefined
        ? []
        : [`${at.child("nodeSelector").key(key).toString()}: ${deprecatedLabels[key]}`],
    ),
    ...(required?.nodeSelectorTerms ?? []).flatMap((term, i) => termWarnings(term, terms.index(i), false)),
    ...(preferred ?? []).flatMap(({ preference }, i) =>
      termWarnings(preference, wishes.index(i).child("preference"), true),
    ),
    ...topologySpreadConstraints.flatMap(({ topologyKey, labelSelector }, i) => {
      const place = at.child("topologySpreadConstraints").index(i);
      const problem = deprecatedLabels[topologyKey];
      return [
        ...(problem === undefined
          ? []
          : [`${place.child("topologyKey").toString()}: ${topologyKey} is ${problem}`]),
        ...(labelSelector === undefined ? [selectsNothing(place.child("labelSelector"))] : []),
      ];
    }),
  ];
}

function selectsNothing(place: FieldPath): string {
  return `${place.toString()}: a null labelSelector results in matching no pod`;
}

function affinityWarnings({ affinity }: PodSpec, at: FieldPath): readonly string[] {
  return (["podAffinity", "podAntiAffinity"] as const).flatMap((name) => {
    const required = at.child(name, "requiredDuringSchedulingIgnoredDuringExecution");
    const preferred = at.child(name, "preferredDuringSchedulingIgnoredDuringExecution");
    const check = ({ labelSelector }: PodAffinityTerm, place: FieldPath) =>
      labelSelector === undefined ? [selectsNothing(place.child("labelSelector"))] : [];
    const terms = affinity?.[name];
    return [
      ...(terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []).flatMap((term, i) =>
        check(term, required.index(i)),
      ),
      ...(terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ podAffinityTerm }, i) =>
        check(podAffinityTerm, preferred.index(i).child("podAffinityTerm")),
      ),
    ];
  });
}

/** Removed drivers, in upstream's order. Upstream spells one of them unlike the field. */
const goneDrivers = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
] as const;

function volumeWarnings(volume: Volume, place: FieldPath): readonly string[] {
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  const at = place.child("ephemeral", "volumeClaimTemplate", "spec");
  return [
    ...goneDrivers.flatMap(([field, name, fate]) =>
      volume[field] === undefined ? [] : [`${place.child(name).toString()}: ${fate}`],
    ),
    ...(claim === undefined ? [] : claimSpecWarnings(claim, at)),
  ];
}

function secretWarnings({ imagePullSecrets = [] }: PodSpec, at: FieldPath): readonly string[] {
  const names = imagePullSecrets.map(({ name = "" }) => name);
  const empty = names.flatMap((name, i) =>
    name === "" ? [`${at.index(i).child("name").toString()}: invalid empty name ""`] : [],
  );
  return [...repeated(names, "name", at), ...empty];
}

function repeated(values: readonly string[], field: string, at: FieldPath): readonly string[] {
  const seen = new Set<string>();
  return values.flatMap((value, i) => {
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [`${at.index(i).child(field).toString()}: duplicate ${field} ${JSON.stringify(value)}`];
  });
}

function containerWarnings(
  { resources, env = [] }: Container | EphemeralContainer,
  place: FieldPath,
): readonly string[] {
  const amounts = place.child("resources");
  return [
    ...byteResources.flatMap((name) => [
      ...fractionWarnings(resources.limits, [name], amounts.child("limits")),
      ...fractionWarnings(resources.requests, [name], amounts.child("requests")),
    ]),
    ...hiddenVariables(env, place.child("env")),
  ];
}

/** Warnings about variables that hide an earlier one of the same name without using it. */
function hiddenVariables(env: readonly EnvVar[], place: FieldPath): readonly string[] {
  const seen = new Set<string>();
  return env.flatMap(({ name, value = "", valueFrom }, i) => {
    const isFirst = !seen.has(name);
    seen.add(name);
    const reference = `$(${name})`;
    const buildsOn = valueFrom === undefined && value !== reference && value.includes(reference);
    if (isFirst || buildsOn) return [];
    return [
      `${place.index(i).toString()}: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}
