export { type Cache } from "./cache.ts";
export {
  controller,
  type Controller,
  type ControllerOptions,
  controllerOf,
  type Reconcile,
  type ReconcileResult,
  type Watch,
} from "./controller.ts";
export { TerminalError } from "./errors.ts";
export { Manager, type ManagerOptions } from "./manager.ts";
export { Expectations } from "../client/expectations.ts";
export { byOwner, defineIndex, keyOf, splitKey } from "../client/indexer.ts";
export { type Clock, systemClock } from "../util/clock.ts";
export type { Env } from "../util/env.ts";
export { type Logger, silentLogger } from "../util/logger.ts";
export { type Random, seededRandom, systemRandom } from "../util/random.ts";
