import type { KubeSchedulerConfiguration, LeaderElection } from "./schema.ts";

/**
 * The configuration with upstream's defaults for the election of a leader, which replace zero values (scheduler
 * `config/v1/defaults.go`, component-base `config/v1alpha1/defaults.go`).
 */
export function withElectionDefaults(configuration: KubeSchedulerConfiguration): KubeSchedulerConfiguration {
  return { ...configuration, leaderElection: electionWithDefaults(configuration.leaderElection) };
}

function electionWithDefaults(given: LeaderElection): LeaderElection {
  return {
    leaderElect: given.leaderElect ?? true,
    leaseDuration: nonZero(given.leaseDuration, "15s"),
    renewDeadline: nonZero(given.renewDeadline, "10s"),
    retryPeriod: nonZero(given.retryPeriod, "2s"),
    resourceLock: given.resourceLock || "leases",
    resourceNamespace: given.resourceNamespace || "kube-system",
    resourceName: given.resourceName || "kube-scheduler",
  };
}

function nonZero(duration = "0s", otherwise: string): string {
  return duration === "0s" ? otherwise : duration;
}
