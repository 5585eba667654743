import { ContainerImage } from "../../../api/core/node/schema.ts";
import { Taint } from "../../../api/core/v1/scheduling.ts";
import {
  boolean,
  type In,
  int32,
  int64,
  list,
  map,
  messages,
  optional,
  type Out,
  pointer,
  quantity,
  string,
} from "../../../meta/schema.ts";
import { LabelSelector } from "../../../meta/v1.ts";

/** SimulationConfiguration: the behavior of simulated nodes as data. The field numbers are arbitrary. */
const message = messages("dev.knarr.v1alpha1");

/** A delay has the fields and the meaning of kwok's (kwok `pkg/apis/v1alpha1`, StageDelay). */
const Delay = message("StageDelay", "The time before a stage ends.", {
  durationMilliseconds: pointer(1, int64, "The least time. Default: 0."),
  jitterDurationMilliseconds: pointer(
    2,
    int64,
    "The greatest time: the delay is drawn between the two. Default: the least time.",
  ),
});
export type Delay = Out<typeof Delay>;

const PullFailure = message("PullFailure", "The failure of every pull.", {
  reason: optional(1, string, "`ErrImagePull` or `InvalidImageName`. Default: ErrImagePull."),
  message: optional(2, string, "The message of the failure."),
});
export type PullFailure = Out<typeof PullFailure>;

const Pull = message("PullStage", "The pull of the image. Without it, the image is on every node.", {
  delay: pointer(1, Delay, "The time that a pull takes."),
  failure: pointer(2, PullFailure, "Set when pulls fail."),
});
export type Pull = Out<typeof Pull>;

const Start = message("StartStage", "The start of the container.", {
  delay: pointer(1, Delay, "The time until the container runs."),
});

const Ready = message("ReadyStage", "The way of a running container to readiness.", {
  delay: pointer(1, Delay, "The time from the container's start until it is ready."),
});

const End = message("EndStage", "One of the ways in which the container ends.", {
  weight: pointer(1, int32, "The share of this end among the ends of the rule. Default: 1."),
  delay: pointer(2, Delay, "The time from the container's start to its end."),
  exitCode: optional(3, int32, "The exit code. Default: 0."),
  untilStopped: optional(
    4,
    boolean,
    "Whether the container runs until it is stopped, and then exits with the code.",
  ),
});
export type End = Out<typeof End>;

const Stages = message("ContainerStages", "The stages of a container's life, in their order.", {
  pull: pointer(1, Pull, "The pull of the image. Default: the image is on every node."),
  start: pointer(2, Start, "The start. Default: at once."),
  ready: pointer(3, Ready, "The readiness. Default: at once."),
  end: optional(
    4,
    list(End),
    "The ends, one of which is drawn at each start. Default: an init container exits with 0 at once, and another runs until it is stopped.",
  ),
});
export type Stages = Out<typeof Stages>;

const Usage = message("ContainerUsage", "The resources that a running container uses.", {
  cpu: pointer(1, quantity, "The CPU, such as `250m`. Default: 1m."),
  memory: pointer(2, quantity, "The memory, such as `64Mi`. Default: 8Mi."),
});
export type UsageAmounts = Out<typeof Usage>;

const ContainerRule = message("ContainerRule", "The behavior of some containers. All conditions must hold.", {
  images: optional(1, list(string), "Images as Pods name them; `*` stands for any text. Default: all."),
  namespaces: optional(2, list(string), "Namespaces. Default: all."),
  podSelector: pointer(3, LabelSelector, "Selects Pods by their labels. Default: all."),
  stages: pointer(4, Stages, "The stages of the containers' life."),
  usage: pointer(5, Usage, "The resources that the containers use."),
});
export type ContainerRule = Out<typeof ContainerRule>;

const HeartbeatFailure = message(
  "HeartbeatFailure",
  "A time in which the agent of a node does nothing: it sends no heartbeat, and its Pods stay as they are.",
  {
    delay: pointer(1, Delay, "The time until the heartbeats fail."),
    duration: pointer(2, Delay, "The time until they return. Default: they never do."),
    repeat: optional(3, boolean, "Whether they fail again, after the delay."),
  },
);
export type HeartbeatFailure = Out<typeof HeartbeatFailure>;

const NodeGroup = message("NodeGroup", "Nodes that differ in their names only.", {
  name: pointer(1, string, "The beginning of the nodes' names: `NAME-1`, `NAME-2` and so on. Default: node."),
  count: pointer(2, int32, "The number of nodes. Default: 1."),
  labels: optional(3, map(string), "Labels besides those of every node."),
  taints: optional(4, list(Taint), "Taints that the nodes are registered with."),
  capacity: optional(5, map(quantity), "Resources instead of, or besides, those of a simulated node."),
  allocatable: optional(6, map(quantity), "The resources for Pods, where they differ from the capacity."),
  images: optional(7, list(ContainerImage), "Images that are on the nodes, and that their status lists."),
  heartbeatFailure: pointer(8, HeartbeatFailure, "Set when the nodes become NotReady."),
});
export type NodeGroup = Out<typeof NodeGroup>;

export const apiVersion = "knarr.dev/v1alpha1";
export const kind = "SimulationConfiguration";

export const SimulationConfiguration = message(kind, "The behavior of simulated nodes and containers.", {
  apiVersion: optional(101, string, apiVersion),
  kind: optional(102, string, kind),
  containers: optional(1, list(ContainerRule), "Rules for containers. The first that matches counts."),
  nodes: optional(2, list(NodeGroup), "The nodes. Default: as many of one kind as are asked for."),
});
export type SimulationConfiguration = Out<typeof SimulationConfiguration>;
/** A configuration as a program writes it. */
export type SimulationInput = In<typeof SimulationConfiguration>;
