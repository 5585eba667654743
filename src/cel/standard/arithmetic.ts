import { operators } from "../ast.ts";
import { JoinedList } from "../collections.ts";
import { concatenation } from "../cost/model.ts";
import { plus } from "../cost/range.ts";
import { sizeAt } from "../cost/model.ts";
import { type CostModel, fixed } from "../cost/model.ts";
import { type FunctionDeclaration, global } from "../declarations.ts";
import { spendOnText } from "../effort.ts";
import { add, divide, int64, modulo, multiply, subtract, uint64 } from "../integers.ts";
import { addDurations, addToTimestamp, between, subtractDurations, subtractFromTimestamp } from "../time.ts";
import { bytes, double, duration, int, listOf, parameter, string, timestamp, uint } from "../types.ts";
import { CelError, type CelList, Double, type Int, type Result, Uint } from "../values.ts";

const list = listOf(parameter("A"));

type Integral = typeof add;

const ints = (id: string, operation: Integral) =>
  global(id, [int, int], int, (x, y) => operation(int64, x, y));
const uints = (id: string, operation: Integral) =>
  global(id, [uint, uint], uint, (x, y) => unsigned(operation(uint64, x.value, y.value)));
const doubles = (id: string, operation: (x: number, y: number) => number) =>
  global(id, [double, double], double, (x, y) => new Double(operation(x.value, y.value)));

const unsigned = (result: Int | CelError) => (result instanceof CelError ? result : new Uint(result));

/** The cost of concatenating lists. Nothing is copied, but the estimate includes the new size. */
const listConcatenation: CostModel = {
  estimate: (args) => ({ cost: fixed(1).estimate([]).cost, size: plus(sizeAt(args, 0), sizeAt(args, 1)) }),
  actual: () => 1,
};

function concatTexts(x: string, y: string): string {
  spendOnText(x.length + y.length);
  return x + y;
}

function concatBytes(x: Uint8Array, y: Uint8Array): Uint8Array {
  spendOnText(x.length + y.length);
  return new Uint8Array(Buffer.concat([x, y]));
}

/** The maximum size of a list, because iterating over a longer one would take too long. */
const longestList = 2 ** 24;

function concatLists(x: CelList, y: CelList): Result {
  if (x.concat !== undefined) return x.concat(y);
  if (x.size === 0) return y;
  if (x.size + y.size > longestList) return new CelError(`list is too long: ${x.size + y.size}`);
  return y.size === 0 ? x : new JoinedList(x, y);
}

const functions: readonly FunctionDeclaration[] = [
  {
    name: operators.add,
    overloads: [
      global("add_bytes", [bytes, bytes], bytes, concatBytes, concatenation),
      doubles("add_double", (x, y) => x + y),
      global("add_duration_duration", [duration, duration], duration, addDurations),
      global("add_duration_timestamp", [duration, timestamp], timestamp, (x, y) => addToTimestamp(y, x)),
      global("add_timestamp_duration", [timestamp, duration], timestamp, addToTimestamp),
      ints("add_int64", add),
      global("add_list", [list, list], list, concatLists, listConcatenation),
      global("add_string", [string, string], string, concatTexts, concatenation),
      uints("add_uint64", add),
    ],
  },
  {
    name: operators.subtract,
    overloads: [
      doubles("subtract_double", (x, y) => x - y),
      global("subtract_duration_duration", [duration, duration], duration, subtractDurations),
      ints("subtract_int64", subtract),
      global("subtract_timestamp_duration", [timestamp, duration], timestamp, subtractFromTimestamp),
      global("subtract_timestamp_timestamp", [timestamp, timestamp], duration, between),
      uints("subtract_uint64", subtract),
    ],
  },
  {
    name: operators.multiply,
    overloads: [
      doubles("multiply_double", (x, y) => x * y),
      ints("multiply_int64", multiply),
      uints("multiply_uint64", multiply),
    ],
  },
  {
    name: operators.divide,
    overloads: [
      doubles("divide_double", (x, y) => x / y),
      ints("divide_int64", divide),
      uints("divide_uint64", divide),
    ],
  },
  { name: operators.modulo, overloads: [ints("modulo_int64", modulo), uints("modulo_uint64", modulo)] },
  {
    name: operators.negate,
    overloads: [
      global("negate_double", [double], double, (x) => new Double(-x.value)),
      global("negate_int64", [int], int, (x) => subtract(int64, 0, x)),
    ],
  },
];

export const arithmetic = functions.map((one): FunctionDeclaration => ({ ...one, blames: "function" }));
