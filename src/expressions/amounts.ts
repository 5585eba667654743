import { CelError, type Int } from "../cel/values.ts";
import { int64, integer } from "../cel/integers.ts";
import type { Amount, Amounts } from "../cel/libraries/quantities.ts";
import {
  addQuantities,
  compareQuantities,
  type Quantity,
  QuantityError,
  readQuantity,
  roundQuantity,
} from "../meta/quantity.ts";

/**
 * A quantity in an expression. Its integer and float conversions depend on how it was written: upstream
 * stores a number and a power of ten, in 64 bits if possible (`resource.Quantity`).
 */
class ScaledAmount implements Amount {
  readonly #exact: Quantity;
  readonly #number: bigint;
  readonly #exponent: number;
  /** True if upstream stores it in 64 bits. */
  readonly #isShort: boolean;

  constructor(exact: Quantity, number: bigint, exponent: number, isShort: boolean) {
    this.#exact = exact;
    this.#number = number;
    this.#exponent = exponent;
    this.#isShort = isShort;
  }

  plus(other: ScaledAmount): ScaledAmount {
    return this.#add(other, 1n);
  }

  minus(other: ScaledAmount): ScaledAmount {
    return this.#add(other, -1n);
  }

  compare(other: ScaledAmount): number {
    return compareQuantities(this.#exact, other.#exact);
  }

  get integer(): Int | undefined {
    if (!this.#isShort || this.#exponent < 0) return undefined;
    const value = this.#at(0);
    return fits(value) ? integer(value) : undefined;
  }

  get float(): number {
    const base = Number(this.#number);
    return this.#exponent === 0 ? base : base * Number(`1e${this.#exponent}`);
  }

  /** Returns the number for another power of ten, which is not larger. */
  #at(exponent: number): bigint {
    return this.#number * 10n ** BigInt(this.#exponent - exponent);
  }

  #add(other: ScaledAmount, sign: 1n | -1n): ScaledAmount {
    const exact = addQuantities(this.#exact, {
      ...other.#exact,
      nanos: sign * other.#exact.nanos,
    });
    const areShort = this.#isShort && other.#isShort;
    if (areShort && other.#number === 0n) {
      return new ScaledAmount(exact, this.#number, this.#exponent, true);
    }
    if (areShort && this.#number === 0n) {
      return new ScaledAmount(exact, sign * other.#number, other.#exponent, true);
    }
    const exponent = Math.min(this.#exponent, other.#exponent);
    const sum = this.#at(exponent) + sign * other.#at(exponent);
    return new ScaledAmount(exact, sum, exponent, areShort && fits(sum));
  }
}

const fits = (value: bigint) => value >= int64.min && value <= int64.max;

function parse(text: string): Amount | CelError {
  try {
    const written = readQuantity(text);
    const { number, exponent, isShort } = written;
    const exact = roundQuantity(written);
    return isShort
      ? new ScaledAmount(exact, number, exponent, true)
      : new ScaledAmount(exact, exact.nanos, -9, false);
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message);
    throw error;
  }
}

export const amounts: Amounts = {
  parse,
  ofInteger: (value) => {
    const exact: Quantity = { nanos: BigInt(value) * 1_000_000_000n, format: "exponent" };
    return new ScaledAmount(exact, BigInt(value), 0, true);
  },
};
