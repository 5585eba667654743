import {
  type Out,
  int32,
  int64,
  list,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { LabelSelector } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const NodeSelectorRequirement = message("NodeSelectorRequirement", "A node selector requirement.", {
  key: required(1, string, "The key."),
  operator: required(2, oneOf("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"), "The operator."),
  values: optional(3, list(string), "The values."),
});
export type NodeSelectorRequirement = Out<typeof NodeSelectorRequirement>;

export const NodeSelectorTerm = message(
  "NodeSelectorTerm",
  "A node selector term.",
  {
    matchExpressions: optional(1, list(NodeSelectorRequirement), "The match expressions."),
    matchFields: optional(2, list(NodeSelectorRequirement), "The match fields."),
  },
  { atomic: true },
);
export type NodeSelectorTerm = Out<typeof NodeSelectorTerm>;

export const NodeSelector = message(
  "NodeSelector",
  "A node selector.",
  {
    nodeSelectorTerms: required(1, list(NodeSelectorTerm), "The node selector terms."),
  },
  { atomic: true },
);
export type NodeSelector = Out<typeof NodeSelector>;

export const PreferredSchedulingTerm = message("PreferredSchedulingTerm", "A preferred scheduling term.", {
  weight: required(1, int32, "The weight."),
  preference: required(2, NodeSelectorTerm, "The preference."),
});
export type PreferredSchedulingTerm = Out<typeof PreferredSchedulingTerm>;

export const NodeAffinity = message("NodeAffinity", "A node affinity.", {
  requiredDuringSchedulingIgnoredDuringExecution: pointer(
    1,
    NodeSelector,
    "The required during scheduling ignored during execution.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: optional(
    2,
    list(PreferredSchedulingTerm),
    "The preferred during scheduling ignored during execution.",
  ),
});
export type NodeAffinity = Out<typeof NodeAffinity>;

export const PodAffinityTerm = message("PodAffinityTerm", "A pod affinity term.", {
  labelSelector: pointer(1, LabelSelector, "The label selector."),
  namespaces: optional(2, list(string), "The namespaces."),
  topologyKey: required(3, string, "The topology key."),
  namespaceSelector: pointer(4, LabelSelector, "The namespace selector."),
  matchLabelKeys: optional(5, list(string), "The match label keys."),
  mismatchLabelKeys: optional(6, list(string), "The mismatch label keys."),
});
export type PodAffinityTerm = Out<typeof PodAffinityTerm>;

export const WeightedPodAffinityTerm = message("WeightedPodAffinityTerm", "A weighted pod affinity term.", {
  weight: required(1, int32, "The weight."),
  podAffinityTerm: required(2, PodAffinityTerm, "The pod affinity term."),
});
export type WeightedPodAffinityTerm = Out<typeof WeightedPodAffinityTerm>;

export const PodAffinity = message("PodAffinity", "A pod affinity.", {
  requiredDuringSchedulingIgnoredDuringExecution: optional(
    1,
    list(PodAffinityTerm),
    "The required during scheduling ignored during execution.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: optional(
    2,
    list(WeightedPodAffinityTerm),
    "The preferred during scheduling ignored during execution.",
  ),
});
export type PodAffinity = Out<typeof PodAffinity>;

export const PodAntiAffinity = message("PodAntiAffinity", "A pod anti affinity.", {
  requiredDuringSchedulingIgnoredDuringExecution: optional(
    1,
    list(PodAffinityTerm),
    "The required during scheduling ignored during execution.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: optional(
    2,
    list(WeightedPodAffinityTerm),
    "The preferred during scheduling ignored during execution.",
  ),
});
export type PodAntiAffinity = Out<typeof PodAntiAffinity>;

export const Affinity = message("Affinity", "A affinity.", {
  nodeAffinity: pointer(1, NodeAffinity, "The node affinity."),
  podAffinity: pointer(2, PodAffinity, "The pod affinity."),
  podAntiAffinity: pointer(3, PodAntiAffinity, "The pod anti affinity."),
});
export type Affinity = Out<typeof Affinity>;

export const Taint = message("Taint", "A taint.", {
  key: required(1, string, "The key."),
  value: optional(2, string, "The value."),
  effect: required(3, oneOf("NoExecute", "NoSchedule", "PreferNoSchedule"), "The effect."),
  timeAdded: pointer(4, time, "The time added."),
});
export type Taint = Out<typeof Taint>;

export const Toleration = message("Toleration", "A toleration.", {
  key: optional(1, string, "The key."),
  operator: optional(2, oneOf("Equal", "Exists", "Gt", "Lt"), "The operator."),
  value: optional(3, string, "The value."),
  effect: optional(4, oneOf("NoExecute", "NoSchedule", "PreferNoSchedule"), "The effect."),
  tolerationSeconds: pointer(5, int64, "The toleration seconds."),
});
export type Toleration = Out<typeof Toleration>;

export const TopologySpreadConstraint = message("TopologySpreadConstraint", "A topology spread constraint.", {
  maxSkew: required(1, int32, "The max skew."),
  topologyKey: required(2, string, "The topology key."),
  whenUnsatisfiable: required(3, oneOf("DoNotSchedule", "ScheduleAnyway"), "The when unsatisfiable."),
  labelSelector: pointer(4, LabelSelector, "The label selector."),
  minDomains: pointer(5, int32, "The min domains."),
  nodeAffinityPolicy: pointer(6, oneOf("Honor", "Ignore"), "The node affinity policy."),
  nodeTaintsPolicy: pointer(7, oneOf("Honor", "Ignore"), "The node taints policy."),
  matchLabelKeys: optional(8, list(string), "The match label keys."),
});
export type TopologySpreadConstraint = Out<typeof TopologySpreadConstraint>;

export const TopologySelectorLabelRequirement = message(
  "TopologySelectorLabelRequirement",
  "A topology selector label requirement.",
  {
    key: required(1, string, "The key."),
    values: required(2, list(string), "The values."),
  },
);
export type TopologySelectorLabelRequirement = Out<typeof TopologySelectorLabelRequirement>;

export const TopologySelectorTerm = message(
  "TopologySelectorTerm",
  "A topology selector term.",
  {
    matchLabelExpressions: optional(
      1,
      list(TopologySelectorLabelRequirement),
      "The match label expressions.",
    ),
  },
  { atomic: true },
);
export type TopologySelectorTerm = Out<typeof TopologySelectorTerm>;
