import type { CompiledSelector, SelectorCompiler } from "../../../api/resource/selectors.ts";
import type { Device } from "../../../api/resource/v1/device.ts";
import type { DeviceSelector } from "../../../api/resource/resource-claim/device-request.ts";
import { LruMap } from "../../../util/lru.ts";
import type { Effort } from "./effort.ts";
import { AllocationError } from "./requests.ts";

/** An expression has at most 10 KiB, and usually a few words. */
const rememberedExpressions = 256;
/** The results that are kept for each device. */
const rememberedResults = 64;

/** The cost of an evaluation for each step of the effort: about a microsecond. */
const costPerStep = 8;

/** Evaluates selectors: compiles each expression once, and evaluates it once for each device. */
export class Selectors {
  readonly #compile: SelectorCompiler;
  readonly #compiled = new LruMap<string, CompiledSelector>(rememberedExpressions);
  /** Devices are immutable, so a result holds as long as its device exists. */
  readonly #results = new WeakMap<Device, LruMap<string, boolean | AllocationError>>();

  constructor(compile: SelectorCompiler) {
    this.#compile = compile;
  }

  /**
   * Reports whether the device matches all selectors. `whose` begins the message of an error. @throws AllocationError for
   * an expression that fails, AllocationTimeout after the last step of the effort
   */
  match(
    selectors: readonly DeviceSelector[] = [],
    {
      device,
      slice,
    }: { readonly device: Device; readonly slice: { readonly spec: { readonly driver: string } } },
    whose: string,
    effort: Effort,
  ): boolean {
    return selectors.every(({ cel }, i) => {
      const expression = cel?.expression ?? "";
      const result = this.#evaluate(expression, device, slice.spec.driver, effort);
      if (typeof result === "boolean") return result;
      throw new AllocationError(`${whose}: selector #${i}: ${result.message}`);
    });
  }

  #evaluate(expression: string, device: Device, driver: string, effort: Effort): boolean | AllocationError {
    const results =
      this.#results.get(device) ?? new LruMap<string, boolean | AllocationError>(rememberedResults);
    this.#results.set(device, results);
    const known = results.get(expression);
    if (known !== undefined) return known;
    const { outcome, cost } = this.#programOf(expression)(driver, device);
    const result = typeof outcome === "boolean" ? outcome : new AllocationError(outcome.error);
    // Kept before the effort ends: the next attempt continues here.
    results.set(expression, result);
    effort.spend(1 + cost / costPerStep);
    return result;
  }

  #programOf(expression: string): CompiledSelector {
    let program = this.#compiled.get(expression);
    if (program === undefined) this.#compiled.set(expression, (program = this.#compile(expression)));
    return program;
  }
}
