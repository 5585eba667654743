import type { TypeProvider } from "../cel/environment.ts";
import { bool, dyn, int, listOf, mapOf, objectType, string, timestamp } from "../cel/types.ts";
import type { Type } from "../cel/type.ts";

/**
 * The types of `request` and `namespaceObject` in expressions about requests
 * (`k8s.io/apiserver/pkg/admission/plugin/cel/compile.go`).
 */

export const requestType = objectType("kubernetes.AdmissionRequest");
export const namespaceType = objectType("kubernetes.Namespace");

const groupVersionKind = objectType("kubernetes.GroupVersionKind");
const groupVersionResource = objectType("kubernetes.GroupVersionResource");
const userInfo = objectType("kubernetes.UserInfo");
const metadata = objectType("kubernetes.NamespaceMetadata");
const spec = objectType("kubernetes.NamespaceSpec");
const status = objectType("kubernetes.NamespaceStatus");
const condition = objectType("kubernetes.NamespaceCondition");
const strings = listOf(string);
const texts = mapOf(string, string);

const fields = new Map<Type, Readonly<Record<string, Type>>>([
  [
    requestType,
    {
      kind: groupVersionKind,
      resource: groupVersionResource,
      subResource: string,
      requestKind: groupVersionKind,
      requestResource: groupVersionResource,
      requestSubResource: string,
      name: string,
      namespace: string,
      operation: string,
      userInfo,
      dryRun: bool,
      options: dyn,
    },
  ],
  [groupVersionKind, { group: string, version: string, kind: string }],
  [groupVersionResource, { group: string, version: string, resource: string }],
  [userInfo, { username: string, uid: string, groups: strings, extra: mapOf(string, strings) }],
  [namespaceType, { metadata, spec, status }],
  [
    metadata,
    {
      name: string,
      generateName: string,
      namespace: string,
      labels: texts,
      annotations: texts,
      UID: string,
      creationTimestamp: timestamp,
      deletionGracePeriodSeconds: int,
      deletionTimestamp: timestamp,
      generation: int,
      resourceVersion: string,
      finalizers: strings,
    },
  ],
  [spec, { finalizers: strings }],
  [status, { conditions: listOf(condition), phase: string }],
  [
    condition,
    { status: string, type: string, lastTransitionTime: timestamp, message: string, reason: string },
  ],
]);

const types = new Map(Array.from(fields.keys(), (type) => [type.name, type]));

export const admissionTypes: TypeProvider = {
  findType: (name) => types.get(name),
  findField: (name, field) => {
    const type = types.get(name);
    const known = type && fields.get(type);
    return known !== undefined && Object.hasOwn(known, field) ? known[field] : undefined;
  },
};
