import {
  boolean,
  bytes,
  duration,
  int32,
  int64,
  json,
  list,
  messages,
  optional,
  type Out,
  pointer,
  string,
} from "../../meta/schema.ts";

/** KubeSchedulerConfiguration (kube-scheduler `config/v1/types.go`). The field numbers are arbitrary. */
const message = messages("io.k8s.kube-scheduler.config.v1");

const PluginRef = message("Plugin", "A plugin.", {
  name: optional(1, string, "Its name; `*` stands for all in `disabled`."),
  weight: pointer(2, int32, "The weight of its scores."),
});

const PluginSet = message("PluginSet", "Changes to the plugins of an extension point.", {
  enabled: optional(1, list(PluginRef), "Plugins to add."),
  disabled: optional(2, list(PluginRef), "Default plugins to leave out."),
});
export type PluginSet = Out<typeof PluginSet>;

const set = (number: number, point: string) =>
  pointer(number, PluginSet, `The plugins at the extension point ${point}.`);

const Plugins = message("Plugins", "Changes to the plugins of a profile.", {
  preEnqueue: set(1, "PreEnqueue"),
  queueSort: set(2, "QueueSort"),
  preFilter: set(3, "PreFilter"),
  filter: set(4, "Filter"),
  postFilter: set(5, "PostFilter"),
  preScore: set(6, "PreScore"),
  score: set(7, "Score"),
  reserve: set(8, "Reserve"),
  permit: set(9, "Permit"),
  preBind: set(10, "PreBind"),
  bind: set(11, "Bind"),
  postBind: set(12, "PostBind"),
  multiPoint: pointer(13, PluginSet, "The plugins at all of their extension points."),
});
export type Plugins = Out<typeof Plugins>;

const PluginConfig = message("PluginConfig", "The arguments of a plugin.", {
  name: optional(1, string, "The plugin."),
  args: optional(2, json, "Its arguments."),
});

const KubeSchedulerProfile = message("KubeSchedulerProfile", "One scheduler's name and plugins.", {
  schedulerName: pointer(1, string, "The `schedulerName` of its Pods."),
  percentageOfNodesToScore: pointer(2, int32, "Of no effect: every node is scored."),
  plugins: pointer(3, Plugins, "Changes to the default plugins."),
  pluginConfig: optional(4, list(PluginConfig), "The arguments of plugins."),
});
export type KubeSchedulerProfile = Out<typeof KubeSchedulerProfile>;

const LeaderElection = message("LeaderElectionConfiguration", "The election of one of several copies.", {
  leaderElect: pointer(1, boolean, "Whether there is an election."),
  leaseDuration: optional(2, duration, "How long the others wait."),
  renewDeadline: optional(3, duration, "How long the leader tries to renew."),
  retryPeriod: optional(4, duration, "The time between two tries."),
  resourceLock: optional(5, string, "`leases`."),
  resourceName: optional(6, string, "The Lease."),
  resourceNamespace: optional(7, string, "Its namespace."),
});
export type LeaderElection = Out<typeof LeaderElection>;

const ClientConnection = message("ClientConnectionConfiguration", "The connection to the API server.", {
  kubeconfig: optional(1, string, "The kubeconfig."),
  acceptContentTypes: optional(2, string, "Of no effect: the client accepts JSON."),
  contentType: optional(3, string, "Of no effect: the client sends JSON."),
  qps: optional(4, json, "Of no effect: the client has no limit."),
  burst: optional(5, int32, "Of no effect: the client has no limit."),
});

const ExtenderManagedResource = message("ExtenderManagedResource", "A resource that an extender manages.", {
  name: optional(1, string, "The extended resource."),
  ignoredByScheduler: optional(2, boolean, "Whether NodeResourcesFit leaves it out."),
});

const ExtenderTLSConfig = message("ExtenderTLSConfig", "TLS to an extender.", {
  insecure: optional(1, boolean, "Trusts any server."),
  serverName: optional(2, string, "The name in the server's certificate."),
  certFile: optional(3, string, "The client certificate."),
  keyFile: optional(4, string, "Its key."),
  caFile: optional(5, string, "The certificates to trust."),
  certData: optional(6, bytes, "The client certificate."),
  keyData: optional(7, bytes, "Its key."),
  caData: optional(8, bytes, "The certificates to trust."),
});

const Extender = message("Extender", "A scheduler extender, called by HTTP.", {
  urlPrefix: optional(1, string, "The URL before the verbs."),
  filterVerb: optional(2, string, "The path that filters."),
  preemptVerb: optional(3, string, "The path that decides about victims."),
  prioritizeVerb: optional(4, string, "The path that scores."),
  weight: optional(5, int64, "The factor of its scores."),
  bindVerb: optional(6, string, "The path that binds."),
  enableHTTPS: optional(7, boolean, "Whether HTTPS is used."),
  tlsConfig: pointer(8, ExtenderTLSConfig, "TLS."),
  httpTimeout: optional(9, duration, "Default: 5s."),
  nodeCacheCapable: optional(10, boolean, "Whether names of nodes are enough."),
  managedResources: optional(11, list(ExtenderManagedResource), "The only Pods that concern it ask for one."),
  ignorable: optional(12, boolean, "Whether Pods are scheduled when it fails."),
});
export type Extender = Out<typeof Extender>;

export const apiVersion = "kubescheduler.config.k8s.io/v1";
export const kind = "KubeSchedulerConfiguration";

export const KubeSchedulerConfiguration = message(kind, "The configuration of a scheduler.", {
  apiVersion: optional(101, string, apiVersion),
  kind: optional(102, string, kind),
  parallelism: pointer(1, int32, "Of no effect: decisions are made one after the other.", { default: 16 }),
  leaderElection: optional(2, LeaderElection, "The election of one of several copies."),
  clientConnection: optional(3, ClientConnection, "The connection to the API server."),
  enableProfiling: pointer(4, boolean, "Of no effect."),
  enableContentionProfiling: pointer(5, boolean, "Of no effect."),
  percentageOfNodesToScore: pointer(6, int32, "Of no effect: every node is scored."),
  podInitialBackoffSeconds: pointer(7, int64, "The delay before the second attempt at a Pod.", {
    default: 1,
  }),
  podMaxBackoffSeconds: pointer(8, int64, "The longest delay.", { default: 10 }),
  profiles: optional(9, list(KubeSchedulerProfile), "Default: `default-scheduler`."),
  extenders: optional(10, list(Extender), "Scheduler extenders."),
  delayCacheUntilActive: optional(11, boolean, "Of no effect: a copy that stands by reads nothing."),
});
export type KubeSchedulerConfiguration = Out<typeof KubeSchedulerConfiguration>;
