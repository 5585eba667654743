/**
 * Whether a field is required follows from its presence in Go, but for these, where upstream's documents say
 * otherwise. Names are without `io.k8s.api.`.
 */
export const requiredThoughOmitted: ReadonlySet<string> = new Set([
  "apps.v1.DaemonSetSpec.selector",
  "apps.v1.DeploymentSpec.selector",
  "apps.v1.ReplicaSetSpec.selector",
  "apps.v1.StatefulSetSpec.selector",
  "authentication.v1.TokenReviewSpec.token",
  "core.v1.ContainerRestartRule.action",
  "core.v1.ContainerRestartRuleOnExitCodes.operator",
  "core.v1.ImageVolumeStatus.imageRef",
  "core.v1.PodCertificateProjection.keyType",
  "core.v1.PodCertificateProjection.signerName",
  "core.v1.ScaleIOPersistentVolumeSource.secretRef",
  "core.v1.ScaleIOVolumeSource.secretRef",
]);

export const optionalThoughWritten: ReadonlySet<string> = new Set([
  "apps.v1.StatefulSetOrdinals.start",
  "apps.v1.StatefulSetSpec.serviceName",
  "apps.v1.StatefulSetStatus.availableReplicas",
  "authentication.v1.TokenRequest.spec",
  "authentication.v1.TokenRequestSpec.audiences",
  "authentication.v1.TokenRequestStatus.expirationTimestamp",
  "authentication.v1.TokenRequestStatus.token",
  "core.v1.ContainerImage.names",
  "core.v1.Event.reportingComponent",
  "core.v1.Event.reportingInstance",
  "core.v1.NodeRuntimeHandler.name",
  "core.v1.ProjectedVolumeSource.sources",
  "discovery.v1.EndpointSlice.endpoints",
  "discovery.v1.EndpointSlice.ports",
  "events.v1.Event.metadata",
  "rbac.v1.ClusterRole.rules",
  "rbac.v1.Role.rules",
  "rbac.v1.RoleRef.apiGroup",
]);
