/*
 * The workloads of upstream's scheduler_perf, as data. Upstream's nodes have 4 CPUs, these have 32: where Pods must fill
 * their nodes, their requests are eight times upstream's.
 */

/** The room of a node. */
export const room = { cpu: "32", memory: "64Gi", pods: "110" };

export const hostname = "kubernetes.io/hostname";
export const zone = "topology.kubernetes.io/zone";

/** The PriorityClass of Pods that preempt others. */
export const highPriority = { name: "bench-high", value: 10 };

/** Pods of one kind. */
export interface Template {
  /** Default: 100m of CPU, and 100Mi of memory. */
  readonly requests?: Readonly<Record<string, string>>;
  /** The part of the spec that makes the workload; `app` is the label of the Pods. Default: none. */
  readonly spec?: (app: string) => object;
}

export interface Workload {
  /** Pods that are bound before the measurement, and their number for each node. */
  readonly initial?: readonly (Template & { readonly perNode: number })[];
  /** Pods that no node has room for, one at each interval while the others are measured. */
  readonly churn?: Template & { readonly intervalMs: number };
  readonly measured: Template;
  /** The greatest number of measured Pods that fit on a node. Default: no limit. */
  readonly mostPerNode?: number;
}

const term = (app: string, topologyKey: string) => ({ labelSelector: { matchLabels: { app } }, topologyKey });
const required = (rule: object) => ({ requiredDuringSchedulingIgnoredDuringExecution: [rule] });
const preferred = (rule: object) => ({
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: rule }],
});
const spread = (whenUnsatisfiable: string): Template => ({
  spec: (app) => ({
    topologySpreadConstraints: [
      { maxSkew: 5, topologyKey: zone, whenUnsatisfiable, labelSelector: { matchLabels: { app } } },
    ],
  }),
});

const plain: Template = {};
const requiredAffinity: Template = {
  spec: (app) => ({ affinity: { podAffinity: required(term(app, zone)) } }),
};
const requiredAntiAffinity: Template = {
  spec: (app) => ({ affinity: { podAntiAffinity: required(term(app, hostname)) } }),
};
const preferredAffinity: Template = {
  spec: (app) => ({ affinity: { podAffinity: preferred(term(app, hostname)) } }),
};
const preferredAntiAffinity: Template = {
  spec: (app) => ({ affinity: { podAntiAffinity: preferred(term(app, hostname)) } }),
};
const urgent = (cpu: string): Template => ({
  requests: { cpu, memory: "100Mi" },
  spec: () => ({ priorityClassName: highPriority.name }),
});
/** Deleted at once when preempted. */
const fillsQuarter: Template = {
  requests: { cpu: "7200m", memory: "100Mi" },
  spec: () => ({ terminationGracePeriodSeconds: 0 }),
};

export const workloads: Readonly<Record<string, Workload>> = {
  basic: { measured: plain },
  "required-anti-affinity": { measured: requiredAntiAffinity, mostPerNode: 1 },
  "required-affinity": { measured: requiredAffinity },
  "preferred-anti-affinity": { measured: preferredAntiAffinity },
  "preferred-affinity": { measured: preferredAffinity },
  "required-spread": { measured: spread("DoNotSchedule") },
  "preferred-spread": { measured: spread("ScheduleAnyway") },
  /** Upstream's MixedSchedulingBasePod: plain Pods beside Pods with rules, which plain Pods must not break. */
  mixed: {
    initial: [plain, requiredAffinity, requiredAntiAffinity, preferredAffinity, preferredAntiAffinity].map(
      (template) => ({ ...template, perNode: 0.4 }),
    ),
    measured: plain,
  },
  /** Upstream's Unschedulable: five urgent Pods a second that no node is large enough for. */
  unschedulable: {
    initial: [{ ...plain, perNode: 0.02 }],
    churn: { ...urgent("72"), intervalMs: 200 },
    measured: plain,
  },
  /** Upstream's PreemptionBasic: four Pods fill each node, and three of them make room for an urgent one. */
  preemption: {
    initial: [{ ...fillsQuarter, perNode: 4 }],
    measured: urgent("24"),
    mostPerNode: 1,
  },
};
