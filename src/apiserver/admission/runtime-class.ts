import { type Pod, pods } from "../../api/core/pod/schema.ts";
import { type RuntimeClass, runtimeClasses } from "../../api/node/runtime-class/schema.ts";
import type { Draft } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { Services } from "../services.ts";
import type { AdmissionPlugin, Attributes } from "./plugin.ts";
import { withoutRedundant } from "./redundant-tolerations.ts";

/** Fills in what a Pod's RuntimeClass costs, and which nodes have it (plugin `runtimeclass`, KEP-585, KEP-688). */
export const runtimeClass: AdmissionPlugin = {
  name: "RuntimeClass",
  mutate(attributes, services) {
    if (!isNewPod(attributes)) return;
    const { overhead, scheduling } = classOf(attributes, services) ?? {};
    const { spec } = attributes.object as unknown as Draft<Pod>;
    if (overhead !== undefined) {
      const { podFixed = {} } = overhead;
      if (Object.keys(spec.overhead ?? {}).length > 0 && !deepEqual(podFixed, spec.overhead))
        throw otherOverhead(attributes);
      if (Object.keys(podFixed).length > 0) spec.overhead = { ...podFixed };
    }
    if (scheduling !== undefined) setScheduling(attributes, scheduling);
  },
  validate(attributes, services) {
    if (!isNewPod(attributes)) return;
    const defined = classOf(attributes, services)?.overhead;
    const { overhead } = (attributes.object as unknown as Pod).spec;
    if (defined === undefined && overhead !== undefined) {
      const why = "Pod Overhead set without corresponding RuntimeClass defined Overhead";
      throw refused(attributes, `pod rejected: ${why}`);
    }
    if (defined !== undefined && !deepEqual(defined.podFixed ?? {}, overhead ?? {}))
      throw otherOverhead(attributes);
  },
};

function isNewPod({ operation, resource, subresource }: Attributes): boolean {
  return operation === "CREATE" && resource.kind === pods && subresource === "";
}

function classOf(attributes: Attributes, { reader }: Services): RuntimeClass | undefined {
  const { runtimeClassName: name } = (attributes.object as unknown as Pod).spec;
  if (name === undefined) return undefined;
  const found = reader.get(runtimeClasses, "", name);
  if (found !== undefined) return found;
  throw refused(attributes, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
}

function setScheduling(
  attributes: Attributes,
  { nodeSelector = {}, tolerations = [] }: NonNullable<RuntimeClass["scheduling"]>,
): void {
  const { spec } = attributes.object as unknown as Draft<Pod>;
  for (const [key, wanted] of Object.entries(nodeSelector)) {
    const given = spec.nodeSelector?.[key];
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
