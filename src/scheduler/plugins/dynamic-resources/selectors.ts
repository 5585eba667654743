import type { CompiledSelector, SelectorCompiler } from "../../../api/resource/selectors.ts";
import type { Device } from "../../../api/resource/v1/device.ts";
import type { DeviceSelector } from "../../../api/resource/resource-claim/device-request.ts";
import type { Effort } from "./effort.ts";
import { AllocationError } from "./requests.ts";

/**
 * The expressions that are kept at least, with a result for each device that was asked about. An expression has at most
 * 10 KiB, and usually a few words.
 */
const rememberedExpressions = 32;

/** The cost of an evaluation for each step of the effort: about a microsecond. */
const costPerStep = 8;

type Outcome = boolean | AllocationError;

/** A compiled expression with its results. Devices are immutable, so a result holds as long as its device exists. */
interface Expression {
  readonly program: CompiledSelector;
  readonly results: WeakMap<Device, Outcome>;
}

/** Evaluates selectors: compiles each expression once, and evaluates it once for each device. */
export class Selectors {
  readonly #compile: SelectorCompiler;
  /** The expressions in use, and those that were in use before. Looking one up changes neither, unless it is an old one. */
  #recent = new Map<string, Expression>();
  #older: ReadonlyMap<string, Expression> = new Map();

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

  #evaluate(expression: string, device: Device, driver: string, effort: Effort): Outcome {
    const { program, results } = this.#expression(expression);
    const known = results.get(device);
    if (known !== undefined) return known;
    const { outcome, cost } = program(driver, device);
    const result = typeof outcome === "boolean" ? outcome : new AllocationError(outcome.error);
    // Kept before the effort ends: the next attempt continues here.
    results.set(device, result);
    effort.spend(1 + cost / costPerStep);
    return result;
  }

  #expression(text: string): Expression {
    const recent = this.#recent.get(text);
    if (recent !== undefined) return recent;
    const one = this.#older.get(text) ?? { program: this.#compile(text), results: new WeakMap() };
    if (this.#recent.size >= rememberedExpressions) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(text, one);
    return one;
  }
}
