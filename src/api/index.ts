export {
  mutatingAdmissionPolicies,
  validatingAdmissionPolicies,
  type MutatingAdmissionPolicy,
  type ValidatingAdmissionPolicy,
} from "./admissionregistration/policy/schema.ts";
export {
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicyBindings,
  type MutatingAdmissionPolicyBinding,
  type ValidatingAdmissionPolicyBinding,
} from "./admissionregistration/policy-binding/schema.ts";
export {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  type MutatingWebhookConfiguration,
  type ValidatingWebhookConfiguration,
} from "./admissionregistration/webhook-configuration/schema.ts";
export {
  customResourceDefinitions,
  type CustomResourceDefinition,
} from "./apiextensions/custom-resource-definition/schema.ts";
export type { JSONSchemaProps } from "./apiextensions/custom-resource-definition/json-schema-props.ts";
export { apiServices, type APIService } from "./apiregistration/api-service/schema.ts";
export { controllerRevisions, type ControllerRevision } from "./apps/controller-revision/schema.ts";
export { daemonSets, type DaemonSet } from "./apps/daemon-set/schema.ts";
export { deployments, type Deployment } from "./apps/deployment/schema.ts";
export { replicaSets, type ReplicaSet } from "./apps/replica-set/schema.ts";
export { statefulSets, type StatefulSet } from "./apps/stateful-set/schema.ts";
export {
  tokenReviews,
  tokenRequests,
  selfSubjectReviews,
  type TokenReview,
  type TokenRequest,
  type SelfSubjectReview,
} from "./authentication/v1.ts";
export {
  subjectAccessReviews,
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  type SubjectAccessReview,
  type LocalSubjectAccessReview,
  type SelfSubjectAccessReview,
  type SelfSubjectRulesReview,
} from "./authorization/v1.ts";
export {
  horizontalPodAutoscalers as horizontalPodAutoscalersV1,
  type HorizontalPodAutoscaler as HorizontalPodAutoscalerV1,
} from "./autoscaling/horizontal-pod-autoscaler/schema-v1.ts";
export { scales, type Scale } from "./autoscaling/scale/schema.ts";
export {
  horizontalPodAutoscalers,
  type HorizontalPodAutoscaler,
} from "./autoscaling/horizontal-pod-autoscaler/schema.ts";
export { cronJobs, type CronJob } from "./batch/cron-job/schema.ts";
export { jobs, type Job } from "./batch/job/schema.ts";
export {
  certificateSigningRequests,
  type CertificateSigningRequest,
} from "./certificates/certificate-signing-request/schema.ts";
export { leases, type Lease } from "./coordination/lease/schema.ts";
export { bindings, type Binding } from "./core/binding/schema.ts";
export { componentStatuses, type ComponentStatus } from "./core/component-status/schema.ts";
export { configMaps, type ConfigMap } from "./core/config-map/schema.ts";
export { endpoints, type Endpoints } from "./core/endpoints/schema.ts";
export { events, type Event } from "./core/event/schema.ts";
export { limitRanges, type LimitRange } from "./core/limit-range/schema.ts";
export { namespaces, type Namespace } from "./core/namespace/schema.ts";
export { nodes, type Node } from "./core/node/schema.ts";
export { persistentVolumeClaims, type PersistentVolumeClaim } from "./core/persistent-volume-claim/schema.ts";
export { persistentVolumes, type PersistentVolume } from "./core/persistent-volume/schema.ts";
export { podTemplates, type PodTemplate } from "./core/pod-template/schema.ts";
export { pods, type Pod } from "./core/pod/schema.ts";
export { replicationControllers, type ReplicationController } from "./core/replication-controller/schema.ts";
export { resourceQuotas, type ResourceQuota } from "./core/resource-quota/schema.ts";
export { secrets, type Secret } from "./core/secret/schema.ts";
export { serviceAccounts, type ServiceAccount } from "./core/service-account/schema.ts";
export { services, type Service } from "./core/service/schema.ts";
export { endpointSlices, type EndpointSlice } from "./discovery/endpoint-slice/schema.ts";
export { events as eventsV1, type Event as EventV1 } from "./events/event/schema.ts";
export { flowSchemas, type FlowSchema } from "./flowcontrol/flow-schema/schema.ts";
export {
  priorityLevelConfigurations,
  type PriorityLevelConfiguration,
} from "./flowcontrol/priority-level-configuration/schema.ts";
export { nodeMetrics, type NodeMetrics, podMetrics, type PodMetrics } from "./metrics/schema.ts";
export { ingressClasses, type IngressClass } from "./networking/ingress-class/schema.ts";
export { ingresses, type Ingress } from "./networking/ingress/schema.ts";
export { ipAddresses, type IPAddress } from "./networking/ip-address/schema.ts";
export { networkPolicies, type NetworkPolicy } from "./networking/network-policy/schema.ts";
export { serviceCIDRs, type ServiceCIDR } from "./networking/service-cidr/schema.ts";
export { runtimeClasses, type RuntimeClass } from "./node/runtime-class/schema.ts";
export { evictions, type Eviction } from "./policy/eviction/schema.ts";
export { podDisruptionBudgets, type PodDisruptionBudget } from "./policy/pod-disruption-budget/schema.ts";
export { type ClusterRole, clusterRoles, type Role, roles } from "./rbac/role/schema.ts";
export {
  type ClusterRoleBinding,
  clusterRoleBindings,
  type RoleBinding,
  roleBindings,
} from "./rbac/role-binding/schema.ts";
export { deviceClasses, type DeviceClass } from "./resource/device-class/schema.ts";
export {
  resourceClaimTemplates,
  type ResourceClaimTemplate,
} from "./resource/resource-claim-template/schema.ts";
export { resourceClaims, type ResourceClaim } from "./resource/resource-claim/schema.ts";
export { resourceSlices, type ResourceSlice } from "./resource/resource-slice/schema.ts";
export { priorityClasses, type PriorityClass } from "./scheduling/priority-class/schema.ts";
export { csiDrivers, type CSIDriver } from "./storage/csi-driver/schema.ts";
export { csiNodes, type CSINode } from "./storage/csi-node/schema.ts";
export { csiStorageCapacities, type CSIStorageCapacity } from "./storage/csi-storage-capacity/schema.ts";
export { storageClasses, type StorageClass } from "./storage/storage-class/schema.ts";
export { volumeAttachments, type VolumeAttachment } from "./storage/volume-attachment/schema.ts";
export {
  volumeAttributesClasses,
  type VolumeAttributesClass,
} from "./storage/volume-attributes-class/schema.ts";
export { defineKind, type InputOf, type Kind, type KubeObject, type ObjectOf } from "../meta/kind.ts";
export {
  amount,
  atomicMap,
  boolean,
  bytes,
  duration,
  type In,
  inline,
  int32,
  int64,
  intOrString,
  json,
  keyed,
  lazy,
  list,
  map,
  messages,
  microTime,
  oneOf,
  optional,
  type Out,
  pointer,
  quantity,
  rawExtension,
  required,
  set,
  string,
  time,
} from "../meta/schema.ts";
export { Condition, LabelSelector, ObjectMeta, OwnerReference } from "../meta/v1.ts";
