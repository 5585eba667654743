import { reading } from "../cost/model.ts";
import { one } from "../cost/range.ts";
import { type FunctionDeclaration, global, type Library, member } from "../declarations.ts";
import { spend } from "../effort.ts";
import { bool, double, int, objectType, string } from "../types.ts";
import type { Type } from "../type.ts";
import { CelError, CelObject, Double, type Int, noSuchOverload, type Value } from "../values.ts";

/** Resource quantities (`k8s.io/apiserver/pkg/cel/library/quantity.go`). */

/** The operations of a quantity that the library needs. */
export interface Amount {
  plus(other: Amount): Amount;
  minus(other: Amount): Amount;
  /** Returns a negative number, zero or a positive number. */
  compare(other: Amount): number;
  /** The value as an integer; undefined unless it is a whole number of 64 bits. */
  readonly integer: Int | undefined;
  readonly float: number;
}

export interface Amounts {
  /** Parses a quantity, or returns the error. */
  parse(text: string): Amount | CelError;
  ofInteger(value: Int): Amount;
}

export const quantity = objectType<Quantity>("kubernetes.Quantity");

export class Quantity extends CelObject {
  readonly amount: Amount;

  constructor(amount: Amount) {
    super();
    this.amount = amount;
  }

  override get type(): Type {
    return quantity;
  }

  override equals(other: Value): boolean | CelError {
    return other instanceof Quantity ? compare(this, other) === 0 : noSuchOverload;
  }
}

const compare = (a: Quantity, b: Quantity) => Math.sign(a.amount.compare(b.amount));

/** The number of digits per step. Parsing many digits takes more than linear time. */
const digitsPerStep = 2 ** 17;

function integerOf({ amount }: Quantity): Int | CelError {
  return amount.integer ?? new CelError("cannot convert value to integer");
}

export function quantities(amounts: Amounts): Library {
  const parse = (text: string): Quantity | CelError => {
    spend(text.length ** 2 / digitsPerStep);
    const amount = amounts.parse(text);
    return amount instanceof CelError ? amount : new Quantity(amount);
  };
  const zero = new Quantity(amounts.ofInteger(0));
  const conversions: readonly FunctionDeclaration[] = [
    {
      name: "quantity",
      overloads: [global("string_to_quantity", [string], quantity, parse)],
      cost: reading(0),
    },
    {
      name: "isQuantity",
      overloads: [global("is_quantity_string", [string], bool, (text) => parse(text) instanceof Quantity)],
      cost: reading(0),
    },
    { name: "sign", overloads: [global("quantity_sign", [quantity], int, (one) => compare(one, zero))] },
    {
      name: "add",
      overloads: [
        member("quantity_add", [quantity, quantity], quantity, add),
        member("quantity_add_int", [quantity, int], quantity, (one, value) =>
          add(one, new Quantity(amounts.ofInteger(value))),
        ),
      ],
    },
    {
      name: "sub",
      overloads: [
        member("quantity_sub", [quantity, quantity], quantity, subtract),
        member("quantity_sub_int", [quantity, int], quantity, (one, value) =>
          subtract(one, new Quantity(amounts.ofInteger(value))),
        ),
      ],
    },
  ];
  const equality = { [quantity.name]: () => ({ cost: one }) };
  return { functions: [...conversions, ...accessors], equality };
}

const add = (a: Quantity, b: Quantity) => new Quantity(a.amount.plus(b.amount));
const subtract = (a: Quantity, b: Quantity) => new Quantity(a.amount.minus(b.amount));

const accessors: readonly FunctionDeclaration[] = [
  {
    name: "isGreaterThan",
    overloads: [member("quantity_is_greater_than", [quantity, quantity], bool, (a, b) => compare(a, b) > 0)],
  },
  {
    name: "isLessThan",
    overloads: [member("quantity_is_less_than", [quantity, quantity], bool, (a, b) => compare(a, b) < 0)],
  },
  { name: "compareTo", overloads: [member("quantity_compare_to", [quantity, quantity], int, compare)] },
  {
    name: "asApproximateFloat",
    overloads: [member("quantity_get_float", [quantity], double, ({ amount }) => new Double(amount.float))],
  },
  { name: "asInteger", overloads: [member("quantity_get_int", [quantity], int, integerOf)] },
  {
    name: "isInteger",
    overloads: [
      member("quantity_is_integer", [quantity], bool, ({ amount }) => amount.integer !== undefined),
    ],
  },
];
