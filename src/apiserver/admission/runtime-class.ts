import { pods } from "../../api/core/pod/schema.ts";
import type { PodSpec } from "../../api/core/pod/spec.ts";
import { type RuntimeClass, runtimeClasses } from "../../api/node/runtime-class/schema.ts";
import { labelOf } from "../../meta/labels.ts";
import type { Draft } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { AdmissionServices } from "./admission-services.ts";
import { about, type AdmissionPlugin, type Attributes } from "./plugin.ts";
import { withoutRedundant } from "./redundant-tolerations.ts";

/**
 * Sets a Pod's overhead, node selector and tolerations from its RuntimeClass (plugin `runtimeclass`, KEP-585,
 * KEP-688).
 */
export const runtimeClass: AdmissionPlugin = {
  name: "RuntimeClass",
  mutate(attributes, services) {
    const spec = newPodSpec(attributes);
    if (spec === undefined) return;
    const { overhead, scheduling } = classOf(spec, attributes, services) ?? {};
    if (overhead !== undefined) {
      const { podFixed = {} } = overhead;
      if (Object.keys(spec.overhead ?? {}).length > 0 && !deepEqual(podFixed, spec.overhead))
        throw otherOverhead(attributes);
      if (Object.keys(podFixed).length > 0) spec.overhead = { ...podFixed };
    }
    if (scheduling !== undefined) setScheduling(spec, attributes, scheduling);
  },
  validate(attributes, services) {
    const spec = newPodSpec(attributes);
    if (spec === undefined) return;
    const defined = classOf(spec, attributes, services)?.overhead;
    const { overhead } = spec;
    if (defined === undefined && overhead !== undefined) {
      const why = "Pod Overhead set without corresponding RuntimeClass defined Overhead";
      throw refused(attributes, `pod rejected: ${why}`);
    }
    if (defined !== undefined && !deepEqual(defined.podFixed ?? {}, overhead ?? {}))
      throw otherOverhead(attributes);
  },
};

function newPodSpec(attributes: Attributes): Draft<PodSpec> | undefined {
  return attributes.operation === "CREATE" ? about(pods, attributes)?.object?.spec : undefined;
}

function classOf(
  { runtimeClassName: name }: Draft<PodSpec>,
  attributes: Attributes,
  { reader }: AdmissionServices,
): RuntimeClass | undefined {
  if (name === undefined) return undefined;
  const found = reader.get(runtimeClasses, "", name);
  if (found !== undefined) return found;
  throw refused(attributes, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
}

function setScheduling(
  spec: Draft<PodSpec>,
  attributes: Attributes,
  { nodeSelector = {}, tolerations = [] }: NonNullable<RuntimeClass["scheduling"]>,
): void {
  for (const [key, wanted] of Object.entries(nodeSelector)) {
    const given = labelOf(spec.nodeSelector, key);
    if (given === undefined || given === wanted) continue;
    throw refused(
      attributes,
      `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${wanted}; pod.spec.nodeSelector[${key}] = ${given}`,
    );
  }
  const selector = { ...spec.nodeSelector, ...nodeSelector };
  if (Object.keys(selector).length > 0) spec.nodeSelector = selector;
  const merged = withoutRedundant([...(spec.tolerations ?? []), ...tolerations]);
  if (merged.length > 0) spec.tolerations = merged.map((one) => ({ ...one }));
}

function otherOverhead(attributes: Attributes) {
  return refused(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

function refused({ resource, name }: Attributes, why: string) {
  return errors.forbidden(resource.name, name, why);
}
