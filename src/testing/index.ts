export { startCluster, type TestCluster, type TestClusterOptions } from "./start-cluster.ts";
export { VirtualClock } from "../util/virtual-clock.ts";
export type { Program, ProgramContext, ProgramUsage } from "../kubelet/simulated/program.ts";
export type { SimulationInput } from "../kubelet/simulated/configuration/schema.ts";
export { ConfigurationError } from "../meta/component-configuration.ts";
export type { Clock } from "../util/clock.ts";
export { type Logger, silentLogger } from "../util/logger.ts";
