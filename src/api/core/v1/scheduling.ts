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
      "How the key relates to the values.",
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
  "A wish about nodes; an empty term weighs nothing.",
  {
    weight: required(1, int32, "What a matching node gains, from 1 to 100."),
    preference: required(2, NodeSelectorTerm, "Which nodes are meant."),
  },
);
export type PreferredSchedulingTerm = Out<typeof PreferredSchedulingTerm>;

export const NodeAffinity = message("NodeAffinity", "On which nodes a Pod must or should run.", {
  requiredDuringSchedulingIgnoredDuringExecution: pointer(
    1,
    NodeSelector,
    "What a node must fulfil when the Pod is placed.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: optional(
    2,
    list(PreferredSchedulingTerm),
    "Wishes, whose weights are added up for each node.",
  ),
});
export type NodeAffinity = Out<typeof NodeAffinity>;

const podAffinityTerm = message(
  "PodAffinityTerm",
  "Pods to be near to, or far from, within one topology domain.",
  {
    labelSelector: pointer(1, LabelSelector, "Selects the Pods; absent, none."),
    namespaces: optional(
      2,
      list(string),
      "The namespaces of those Pods; with no namespaceSelector either, this Pod's own.",
    ),
    topologyKey: required(3, string, "The node label whose equal values make a domain."),
    namespaceSelector: pointer(4, LabelSelector, "Selects further namespaces; an empty one, all of them."),
    matchLabelKeys: optional(5, list(string), "Labels of this Pod whose values the others must share."),
    mismatchLabelKeys: optional(
      6,
      list(string),
      "Labels of this Pod whose values the others must not share.",
    ),
  },
);
export interface PodAffinityTerm extends Out<typeof podAffinityTerm> {}
export interface PodAffinityTermInput extends In<typeof podAffinityTerm> {}
export const PodAffinityTerm: MessageType<PodAffinityTerm, PodAffinityTermInput> = podAffinityTerm;

export const WeightedPodAffinityTerm = message("WeightedPodAffinityTerm", "A wish about other Pods.", {
  weight: required(1, int32, "What a fitting node gains, from 1 to 100."),
  podAffinityTerm: required(2, PodAffinityTerm, "The Pods and the domain."),
});
export type WeightedPodAffinityTerm = Out<typeof WeightedPodAffinityTerm>;

export const PodAffinity = message("PodAffinity", "Which Pods a Pod must or should run near to.", {
  requiredDuringSchedulingIgnoredDuringExecution: optional(
    1,
    list(PodAffinityTerm),
    "What must hold when the Pod is placed; all terms.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: optional(
    2,
    list(WeightedPodAffinityTerm),
    "Wishes, whose weights are added up for each node.",
  ),
});
export type PodAffinity = Out<typeof PodAffinity>;

export const PodAntiAffinity = message("PodAntiAffinity", "Which Pods a Pod must or should run far from.", {
  requiredDuringSchedulingIgnoredDuringExecution: optional(
    1,
    list(PodAffinityTerm),
    "What must hold when the Pod is placed; all terms.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: optional(
    2,
    list(WeightedPodAffinityTerm),
    "Wishes, whose weights are taken off for each node.",
  ),
});
export type PodAntiAffinity = Out<typeof PodAntiAffinity>;

const affinity = message("Affinity", "Rules for the placement of a Pod.", {
  nodeAffinity: pointer(1, NodeAffinity, "Rules about nodes."),
  podAffinity: pointer(2, PodAffinity, "Pods to be near to."),
  podAntiAffinity: pointer(3, PodAntiAffinity, "Pods to be far from."),
});
export interface Affinity extends Out<typeof affinity> {}
export interface AffinityInput extends In<typeof affinity> {}
export const Affinity: MessageType<Affinity, AffinityInput> = affinity;

export const Taint = message("Taint", "Keeps Pods that do not tolerate it off a node.", {
  key: required(1, string, "The taint's key."),
  value: optional(2, string, "The taint's value."),
  effect: required(
    3,
    oneOf("NoExecute", "NoSchedule", "PreferNoSchedule"),
    "What happens to Pods without a toleration.",
  ),
  timeAdded: pointer(4, time, "When the taint was added."),
});
export type Taint = Out<typeof Taint>;

export const Toleration = message("Toleration", "Lets a Pod onto nodes whose taints it matches.", {
  key: optional(1, string, "The taint's key; empty, with operator Exists, matches all."),
  operator: optional(
    2,
    oneOf("Equal", "Exists", "Gt", "Lt"),
    "How the key relates to the value; Equal when empty.",
  ),
  value: optional(3, string, "The taint's value; none for Exists."),
  effect: optional(
    4,
    oneOf("NoExecute", "NoSchedule", "PreferNoSchedule"),
    "The taint's effect; empty matches all.",
  ),
  tolerationSeconds: pointer(5, int64, "How long a NoExecute taint is borne; absent, for ever."),
});
export type Toleration = Out<typeof Toleration>;

export const TopologySpreadConstraint = message(
  "TopologySpreadConstraint",
  "How evenly Pods are spread over topology domains.",
  {
    maxSkew: required(1, int32, "By how much the fullest domain may exceed the emptiest one."),
    topologyKey: required(2, string, "The node label whose equal values make a domain."),
    whenUnsatisfiable: required(
      3,
      oneOf("DoNotSchedule", "ScheduleAnyway"),
      "Whether the Pod waits, or is placed where the skew grows least.",
    ),
    labelSelector: pointer(4, LabelSelector, "Selects the Pods that are counted."),
    minDomains: pointer(5, int32, "With fewer domains than this, the emptiest one counts as empty."),
    nodeAffinityPolicy: pointer(
      6,
      oneOf("Honor", "Ignore"),
      "Whether the Pod's node affinity decides which nodes count; Honor when absent.",
    ),
    nodeTaintsPolicy: pointer(
      7,
      oneOf("Honor", "Ignore"),
      "Whether taints decide which nodes count; Ignore when absent.",
    ),
    matchLabelKeys: optional(8, list(string), "Labels of this Pod whose values counted Pods must share."),
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
