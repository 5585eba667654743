import {
  type In,
  int32,
  int64,
  list,
  messages,
  type MessageType,
  oneOf,
  optional,
  type Out,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { LabelSelector } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.core.v1");

export const NodeSelectorRequirement = message(
  "NodeSelectorRequirement",
  "One condition on a node's label or field.",
  {
    key: required(1, string, "The label or field."),
    operator: required(
      2,
      oneOf("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"),
      "The relation between the key and the values.",
    ),
    values: optional(
      3,
      list(string),
      "The values; none for Exists and DoesNotExist, one integer for Gt and Lt.",
    ),
  },
);
export type NodeSelectorRequirement = Out<typeof NodeSelectorRequirement>;

export const NodeSelectorTerm = message(
  "NodeSelectorTerm",
  "Conditions that must all hold; an empty term matches no node.",
  {
    matchExpressions: optional(1, list(NodeSelectorRequirement), "Conditions on labels."),
    matchFields: optional(
      2,
      list(NodeSelectorRequirement),
      "Conditions on fields; `metadata.name` is the only one.",
    ),
  },
  { atomic: true },
);
export type NodeSelectorTerm = Out<typeof NodeSelectorTerm>;

const nodeSelector = message(
  "NodeSelector",
  "Selects the nodes that match at least one of its terms.",
  {
    nodeSelectorTerms: required(1, list(NodeSelectorTerm), "The alternatives."),
  },
  { atomic: true },
);
export interface NodeSelector extends Out<typeof nodeSelector> {}
export interface NodeSelectorInput extends In<typeof nodeSelector> {}
export const NodeSelector: MessageType<NodeSelector, NodeSelectorInput> = nodeSelector;

export const PreferredSchedulingTerm = message(
  "PreferredSchedulingTerm",
  "A preference for nodes; an empty term matches no node.",
  {
    weight: required(1, int32, "The weight of a matching node, from 1 to 100."),
    preference: required(2, NodeSelectorTerm, "The preferred nodes."),
  },
);
export type PreferredSchedulingTerm = Out<typeof PreferredSchedulingTerm>;

export const NodeAffinity = message("NodeAffinity", "Rules for the nodes that a Pod runs on.", {
  requiredDuringSchedulingIgnoredDuringExecution: pointer(
    1,
    NodeSelector,
    "The required nodes, checked when the Pod is scheduled.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: optional(
    2,
    list(PreferredSchedulingTerm),
    "Preferred terms, whose weights are added up for each node.",
  ),
});
export type NodeAffinity = Out<typeof NodeAffinity>;

const podAffinityTerm = message(
  "PodAffinityTerm",
  "Pods that affinity or anti-affinity refers to within one topology domain.",
  {
    labelSelector: pointer(1, LabelSelector, "The label selector of the Pods; none when absent."),
    namespaces: optional(
      2,
      list(string),
      "The namespaces of the Pods; the Pod's own namespace without a namespaceSelector.",
    ),
    topologyKey: required(3, string, "The node label whose values define the domains."),
    namespaceSelector: pointer(
      4,
      LabelSelector,
      "The label selector of further namespaces; an empty selector matches all.",
    ),
    matchLabelKeys: optional(
      5,
      list(string),
      "Label keys for which the other Pods must have the Pod's value.",
    ),
    mismatchLabelKeys: optional(
      6,
      list(string),
      "Label keys for which the other Pods must not have the Pod's value.",
    ),
  },
);
export interface PodAffinityTerm extends Out<typeof podAffinityTerm> {}
export interface PodAffinityTermInput extends In<typeof podAffinityTerm> {}
export const PodAffinityTerm: MessageType<PodAffinityTerm, PodAffinityTermInput> = podAffinityTerm;

export const WeightedPodAffinityTerm = message(
  "WeightedPodAffinityTerm",
  "A weighted preference about other Pods.",
  {
    weight: required(1, int32, "The weight of a matching node, from 1 to 100."),
    podAffinityTerm: required(2, PodAffinityTerm, "The Pods and the domain."),
  },
);
export type WeightedPodAffinityTerm = Out<typeof WeightedPodAffinityTerm>;

export const PodAffinity = message("PodAffinity", "Rules for placing a Pod near other Pods.", {
  requiredDuringSchedulingIgnoredDuringExecution: optional(
    1,
    list(PodAffinityTerm),
    "The required terms, checked when the Pod is scheduled.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: optional(
    2,
    list(WeightedPodAffinityTerm),
    "Preferred terms, whose weights are added up for each node.",
  ),
});
export type PodAffinity = Out<typeof PodAffinity>;

export const PodAntiAffinity = message("PodAntiAffinity", "Rules for placing a Pod away from other Pods.", {
  requiredDuringSchedulingIgnoredDuringExecution: optional(
    1,
    list(PodAffinityTerm),
    "The required terms, checked when the Pod is scheduled.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: optional(
    2,
    list(WeightedPodAffinityTerm),
    "Preferred terms, whose weights are subtracted for each node.",
  ),
});
export type PodAntiAffinity = Out<typeof PodAntiAffinity>;

const affinity = message("Affinity", "Rules for the placement of a Pod.", {
  nodeAffinity: pointer(1, NodeAffinity, "Rules about nodes."),
  podAffinity: pointer(2, PodAffinity, "Rules for placing the Pod near other Pods."),
  podAntiAffinity: pointer(3, PodAntiAffinity, "Rules for placing the Pod away from other Pods."),
});
export interface Affinity extends Out<typeof affinity> {}
export interface AffinityInput extends In<typeof affinity> {}
export const Affinity: MessageType<Affinity, AffinityInput> = affinity;

export const Taint = message("Taint", "Repels Pods that do not tolerate the taint.", {
  key: required(1, string, "The taint's key."),
  value: optional(2, string, "The taint's value."),
  effect: required(
    3,
    oneOf("NoExecute", "NoSchedule", "PreferNoSchedule"),
    "The effect on Pods that do not tolerate the taint.",
  ),
  timeAdded: pointer(4, time, "The time when the taint was added."),
});
export type Taint = Out<typeof Taint>;

export const Toleration = message("Toleration", "Tolerates matching taints of nodes.", {
  key: optional(1, string, "The taint's key; an empty key with operator Exists matches all taints."),
  operator: optional(
    2,
    oneOf("Equal", "Exists", "Gt", "Lt"),
    "The relation between the key and the value; Equal when empty.",
  ),
  value: optional(3, string, "The taint's value; none for Exists."),
  effect: optional(
    4,
    oneOf("NoExecute", "NoSchedule", "PreferNoSchedule"),
    "The taint's effect; empty matches all.",
  ),
  tolerationSeconds: pointer(
    5,
    int64,
    "The number of seconds for which a NoExecute taint is tolerated; forever when absent.",
  ),
});
export type Toleration = Out<typeof Toleration>;

export const TopologySpreadConstraint = message(
  "TopologySpreadConstraint",
  "A constraint on the distribution of Pods over topology domains.",
  {
    maxSkew: required(1, int32, "The maximum difference in Pods between two domains."),
    topologyKey: required(2, string, "The node label whose values define the domains."),
    whenUnsatisfiable: required(
      3,
      oneOf("DoNotSchedule", "ScheduleAnyway"),
      "Whether an unsatisfied constraint makes the Pod unschedulable.",
    ),
    labelSelector: pointer(4, LabelSelector, "Selects the Pods that are counted."),
    minDomains: pointer(
      5,
      int32,
      "The minimum number of domains; with fewer, the global minimum counts as 0.",
    ),
    nodeAffinityPolicy: pointer(
      6,
      oneOf("Honor", "Ignore"),
      "Whether only nodes that match the Pod's node affinity count; Honor when absent.",
    ),
    nodeTaintsPolicy: pointer(
      7,
      oneOf("Honor", "Ignore"),
      "Whether nodes with taints that the Pod does not tolerate are excluded (Honor) or counted (Ignore); Ignore when absent.",
    ),
    matchLabelKeys: optional(8, list(string), "Label keys for which counted Pods must have the Pod's value."),
  },
);
export type TopologySpreadConstraint = Out<typeof TopologySpreadConstraint>;

export const TopologySelectorLabelRequirement = message(
  "TopologySelectorLabelRequirement",
  "One condition on a node's topology label.",
  {
    key: required(1, string, "The label."),
    values: required(2, list(string), "The values allowed."),
  },
);
export type TopologySelectorLabelRequirement = Out<typeof TopologySelectorLabelRequirement>;

export const TopologySelectorTerm = message(
  "TopologySelectorTerm",
  "Conditions on topology labels that must all hold.",
  {
    matchLabelExpressions: optional(1, list(TopologySelectorLabelRequirement), "The conditions."),
  },
  { atomic: true },
);
export type TopologySelectorTerm = Out<typeof TopologySelectorTerm>;
