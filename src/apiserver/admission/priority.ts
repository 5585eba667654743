import { pods } from "../../api/core/pod/schema.ts";
import type { PodSpec } from "../../api/core/pod/spec.ts";
import { type PriorityClass, priorityClasses } from "../../api/scheduling/priority-class/schema.ts";
import type { Draft } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import type { AdmissionServices } from "./admission-services.ts";
import { about, type AdmissionPlugin, type Attributes } from "./plugin.ts";

/** The priority of a Pod without a class, when no class is the default. */
const noClass = { metadata: { name: "" }, value: 0, preemptionPolicy: "PreemptLowerPriority" } as const;

/**
 * Sets a Pod's priority from its class, and allows only one default class (plugin `priority`). The system's
 * own classes cannot be deleted (registry `scheduling/priorityclass`).
 */
export const priority: AdmissionPlugin = {
  name: "Priority",
  mutate(attributes, services) {
    const { operation, object, old } = about(pods, attributes) ?? {};
    if (object === undefined) return;
    if (operation === "CREATE") setPriority(object.spec, attributes, services);
    if (operation === "UPDATE" && old !== undefined) keepPriority(object.spec, old.spec);
  },
  validate(attributes, services) {
    const { operation, resource, name } = attributes;
    if (resource.kind !== priorityClasses) return;
    if (operation === "DELETE" && name.startsWith("system-"))
      throw errors.forbidden(resource.name, name, "this is a system priority class and cannot be deleted");
    if (about(priorityClasses, attributes)?.object?.globalDefault !== true) return;
    const other = classesOf(services).find((one) => one.globalDefault === true && one.metadata.name !== name);
    if (other === undefined) return;
    const why = `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`;
    throw errors.forbidden(resource.name, name, why);
  },
};

function classesOf({ reader }: AdmissionServices): readonly PriorityClass[] {
  return reader.list(priorityClasses);
}

function classOf({ resource, name }: Attributes, services: AdmissionServices, wanted: string) {
  const all = classesOf(services);
  if (wanted !== "") {
    const named = all.find(({ metadata }) => metadata.name === wanted);
    if (named !== undefined) return named;
    throw errors.forbidden(resource.name, name, `no PriorityClass with name ${wanted} was found`);
  }
  const defaults = all.filter(({ globalDefault }) => globalDefault === true);
  // Only a race creates more than one default: the lowest priority is used.
  return defaults.toSorted((a, b) => a.value - b.value)[0] ?? noClass;
}

function setPriority(spec: Draft<PodSpec>, attributes: Attributes, services: AdmissionServices): void {
  const { resource, name } = attributes;
  const { metadata, value, preemptionPolicy } = classOf(attributes, services, spec.priorityClassName ?? "");
  const refuse = (what: string, given: string | number, computed: string | number) =>
    errors.forbidden(
      resource.name,
      name,
      `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`,
    );
  if (spec.priority !== undefined && spec.priority !== value)
    throw refuse("integer value of priority", spec.priority, value);
  const policy = preemptionPolicy ?? noClass.preemptionPolicy;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
    throw refuse("string value of PreemptionPolicy", spec.preemptionPolicy, policy);
  if (metadata.name !== undefined && metadata.name !== "") spec.priorityClassName = metadata.name;
  spec.priority = value;
  spec.preemptionPolicy = policy;
}

/** Keeps the stored priority when a client omits these fields, because old clients do not know them. */
function keepPriority(spec: Draft<PodSpec>, before: PodSpec): void {
  if (before.priority !== undefined) spec.priority ??= before.priority;
  if (before.preemptionPolicy !== undefined) spec.preemptionPolicy ??= before.preemptionPolicy;
}
