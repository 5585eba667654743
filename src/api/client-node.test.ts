import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as models from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { type MessageType, resolve, type Type } from "../meta/schema.ts";
import { bodies, registrations } from "./registrations.ts";

/** A field of upstream's OpenAPI document, as described by the official JavaScript client. */
interface Attribute {
  readonly name: string;
  readonly baseName: string;
  readonly type: string;
  readonly format: string;
}

interface Model {
  getAttributeTypeMap(): readonly Attribute[];
}

/** Fields that upstream's document requires, although Go omits them when they are unset. */
const requiredPointers = [
  "V1CapacityRequestPolicyRange.min",
  "V1ContainerRestartRule.action",
  "V1ContainerRestartRuleOnExitCodes.operator",
  "V1CounterSet.counters",
  "V1DaemonSetSpec.selector",
  "V1DeploymentSpec.selector",
  "V1DeviceCounterConsumption.counters",
  "V1HTTPIngressPath.pathType",
  "V1IPAddressSpec.parentRef",
  "V1ImageVolumeStatus.imageRef",
  "V1MutatingWebhook.sideEffects",
  "V1OpaqueDeviceConfiguration.parameters",
  "V1ParentReference.name",
  "V1ParentReference.resource",
  "V1PodCertificateProjection.keyType",
  "V1PodCertificateProjection.signerName",
  "V1ReplicaSetSpec.selector",
  "V1ScaleIOPersistentVolumeSource.secretRef",
  "V1ScaleIOVolumeSource.secretRef",
  "V1StatefulSetSpec.selector",
  "V1TokenReviewSpec.token",
  "V1ValidatingAdmissionPolicyBinding.spec",
  "V1ValidatingAdmissionPolicyBindingSpec.policyName",
  "V1ValidatingAdmissionPolicyBindingSpec.validationActions",
  "V1ValidatingWebhook.sideEffects",
];

/** Fields that Go always writes, although they are optional in upstream's document. */
const alwaysWritten = [
  "AuthenticationV1TokenRequest.spec",
  "CoreV1Event.reportingComponent",
  "CoreV1Event.reportingInstance",
  "EventsV1Event.metadata",
  "V1AllocatedDeviceStatus.conditions",
  "V1CSINodeDriver.topologyKeys",
  "V1ClusterRole.rules",
  "V1ContainerImage.names",
  "V1CustomResourceDefinitionStatus.acceptedNames",
  "V1CustomResourceDefinitionStatus.conditions",
  "V1CustomResourceDefinitionStatus.storedVersions",
  "V1DeviceClaim.requests",
  "V1EndpointSlice.endpoints",
  "V1EndpointSlice.ports",
  "V1FlowSchemaSpec.matchingPrecedence",
  "V1NetworkPolicySpec.podSelector",
  "V1NodeRuntimeHandler.name",
  "V1PodDisruptionBudgetStatus.currentHealthy",
  "V1PodDisruptionBudgetStatus.desiredHealthy",
  "V1PodDisruptionBudgetStatus.disruptionsAllowed",
  "V1PodDisruptionBudgetStatus.expectedPods",
  "V1PodFailurePolicyOnPodConditionsPattern.status",
  "V1PriorityClass.value",
  "V1ProjectedVolumeSource.sources",
  "V1QueuingConfiguration.handSize",
  "V1QueuingConfiguration.queueLengthLimit",
  "V1QueuingConfiguration.queues",
  "V1ResourceFieldSelector.divisor",
  "V1ResourcePolicyRule.namespaces",
  "V1Role.rules",
  "V1RoleRef.apiGroup",
  "V1StatefulSetOrdinals.start",
  "V1StatefulSetSpec.serviceName",
  "V1StatefulSetStatus.availableReplicas",
  "V1TokenRequestSpec.audiences",
  "V1TokenRequestStatus.expirationTimestamp",
  "V1TokenRequestStatus.token",
  "V2HorizontalPodAutoscalerStatus.currentMetrics",
];

/** The client's name of a message. The group is a prefix if two groups have a message of this name. */
function modelName(message: MessageType): string {
  const [name = "", version = "", group = ""] = message.name.split(".").toReversed();
  const model = `${capitalized(version)}${name}`;
  return [`${capitalized(group)}${model}`, model].find((candidate) => candidate in models) ?? "";
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** All messages that the kinds consist of. */
function reachable(): readonly MessageType[] {
  const found = new Set<MessageType>();
  const visit = (type: Type): void => {
    const resolved = resolve(type);
    if (resolved.kind === "list" || resolved.kind === "map") return visit(resolved.of);
    if (resolved.kind !== "message" || resolved.fields.size === 0 || found.has(resolved)) return;
    found.add(resolved);
    for (const { type: inner } of resolved.fields.values()) visit(inner);
  };
  for (const { schema } of [...registrations.map(({ kind }) => kind), ...bodies]) visit(schema);
  return [...found];
}

const scalars: Readonly<Record<string, readonly [type: string, format: string]>> = {
  string: ["string", ""],
  boolean: ["boolean", ""],
  int32: ["number", "int32"],
  int64: ["number", "int64"],
  double: ["number", "double"],
  bytes: ["string", "byte"],
  quantity: ["string", ""],
  intOrString: ["IntOrString", "int-or-string"],
  time: ["Date", "date-time"],
  microTime: ["V1MicroTime", "date-time-micro"],
  fieldsV1: ["any", ""],
  rawExtension: ["any", ""],
  json: ["any", ""],
};

function clientType(type: Type): readonly [string, string] {
  const resolved = resolve(type);
  if (resolved.kind === "scalar") return scalars[resolved.name] ?? ["", ""];
  if (resolved.kind === "message") return [resolved.fields.size === 0 ? "any" : modelName(resolved), ""];
  const [inner, format] = clientType(resolved.of);
  return [resolved.kind === "list" ? `Array<${inner}>` : `{ [key: string]: ${inner}; }`, format];
}

function declarations(model: string): string {
  const url = new URL(
    `../../node_modules/@kubernetes/client-node/dist/gen/models/${model}.d.ts`,
    import.meta.url,
  );
  return readFileSync(fileURLToPath(url), "utf8");
}

describe("the schemas agree with the official client", () => {
  let compared = 0;
  const differences: string[] = [];
  const requiredThere: string[] = [];
  const requiredHere: string[] = [];
  for (const message of reachable()) {
    const model = modelName(message);
    if (model === "") {
      differences.push(`${message.name} is unknown to the client`);
      continue;
    }
    const attributes = (models as unknown as Record<string, Model>)[model]?.getAttributeTypeMap() ?? [];
    const declared = declarations(model);
    const theirs = new Map(attributes.map((one) => [one.baseName, one]));
    for (const [name, field] of message.fields) {
      const attribute = theirs.get(name);
      const ours = clientType(field.type).join(" ").trim();
      const upstream = `${attribute?.type} ${attribute?.format}`.trim();
      if (ours !== upstream) differences.push(`${model}.${name}: ${ours}, not ${upstream}`);
      const required = declared.includes(`'${attribute?.name}': `);
      if (required && field.presence !== "required") requiredThere.push(`${model}.${name}`);
      if (!required && field.presence === "required") requiredHere.push(`${model}.${name}`);
      compared += 1;
    }
    for (const name of theirs.keys()) {
      const outer = name === "apiVersion" || name === "kind";
      if (!message.fields.has(name) && !outer) differences.push(`${model}.${name} is missing`);
    }
  }

  test(`in names, types and formats of ${compared} fields`, () => {
    expect(compared).toBeGreaterThan(1000);
    expect(differences).toEqual([]);
  });

  test("in the required fields", () => {
    expect(requiredThere.sort()).toEqual(requiredPointers);
    expect(requiredHere.sort()).toEqual(alwaysWritten);
  });
});

test("no message has a duplicate protobuf number, or a field without a number", () => {
  for (const { name, declared } of reachable()) {
    const numbers = [...declared].filter(([field]) => field !== "apiVersion" && field !== "kind");
    const seen = numbers.map(([, { number }]) => number);
    expect(Math.min(...seen, 1), name).toBe(1);
    expect(new Set(seen).size, name).toBe(seen.length);
  }
});
