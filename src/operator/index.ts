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
