/**
 * Fields of KubeletConfiguration that change what Pods may do or what is promised to them. A configuration that sets
 * one is refused, because running without it would be a silent difference.
 */
export const refusedFields: ReadonlySet<string> = words(
  "staticPodPath staticPodURL staticPodURLHeader enableSystemLogQuery systemReserved kubeReserved reservedSystemCPUs reservedMemory imagePullCredentialsVerificationPolicy preloadedImagesVerificationAllowlist tlsCipherSuites tlsCurvePreferences tlsMinVersion seccompDefault",
);

/** Other fields that this kubelet does not obey: it warns of them. */
export const unobeyedFields: ReadonlySet<string> = words(
  "podLogsDir syncFrequency fileCheckFrequency httpCheckFrequency rotateCertificates registryPullQPS registryBurst eventRecordQPS eventBurst enableContentionProfiling healthzPort healthzBindAddress oomScoreAdj streamingConnectionIdleTimeout nodeStatusUpdateFrequency nodeStatusReportFrequency nodeLeaseDurationSeconds volumeStatsAggPeriod kubeletCgroups systemCgroups cgroupRoot cgroupsPerQOS cgroupDriver cpuManagerPolicy singleProcessOOMKill cpuManagerPolicyOptions cpuManagerReconcilePeriod memoryManagerPolicy topologyManagerPolicy topologyManagerScope topologyManagerPolicyOptions qosReserved runtimeRequestTimeout hairpinMode resolvConf cpuCFSQuota cpuCFSQuotaPeriod nodeStatusMaxImages maxOpenFiles contentType kubeAPIQPS kubeAPIBurst serializeImagePulls maxParallelImagePulls podsPerCore enableControllerAttachDetach protectKernelDefaults makeIPTablesUtilChains iptablesMasqueradeBit iptablesDropBit featureGates failSwapOn memorySwap containerLogMaxWorkers configMapAndSecretChangeDetectionStrategy showHiddenMetricsForVersion systemReservedCgroup kubeReservedCgroup enforceNodeAllocatable volumePluginDir providerID kernelMemcgNotification logging enableSystemLogHandler shutdownGracePeriod shutdownGracePeriodCriticalPods shutdownGracePeriodByPodPriority enableProfilingHandler enableDebugFlagsHandler memoryThrottlingFactor memoryReservationPolicy tracing localStorageCapacityIsolation containerRuntimeEndpoint imageServiceEndpoint failCgroupV1 userNamespaces",
);

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
