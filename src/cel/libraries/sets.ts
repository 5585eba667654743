import { actualSizeAt, type CostModel, sizeAt } from "../cost/model.ts";
import { one, plus, scaled, times } from "../cost/range.ts";
import { global, type Library } from "../declarations.ts";
import { spend } from "../effort.ts";
import { equalResults } from "../equality.ts";
import { bool, listOf, parameter } from "../types.ts";
import type { CelList, Result } from "../values.ts";

/** Lists as sets (cel-go `ext.Sets`). */

const list = listOf(parameter("T"));

/** The cost of comparing each element with each one of the other list `passes` times. */
const eachWithEach = (passes: number): CostModel => ({
  estimate: (args) => ({ cost: plus(scaled(times(sizeAt(args, 0), sizeAt(args, 1)), passes), one) }),
  actual: (args) => 1 + actualSizeAt(args, 0) * actualSizeAt(args, 1) * passes,
});

function includes(set: CelList, wanted: Result): boolean {
  for (const element of set) {
    spend(1);
    if (equalResults(wanted, element) === true) return true;
  }
  return false;
}

function contains(set: CelList, part: CelList): boolean {
  for (const element of part) if (!includes(set, element)) return false;
  return true;
}

function intersects(a: CelList, b: CelList): boolean {
  for (const element of a) if (includes(b, element)) return true;
  return false;
}

export const sets: Library = {
  functions: [
    {
      name: "sets.contains",
      overloads: [global("list_sets_contains_list", [list, list], bool, contains, eachWithEach(1))],
    },
    {
      name: "sets.equivalent",
      overloads: [
        global(
          "list_sets_equivalent_list",
          [list, list],
          bool,
          (a, b) => contains(a, b) && contains(b, a),
          eachWithEach(2),
        ),
      ],
    },
    {
      name: "sets.intersects",
      overloads: [global("list_sets_intersects_list", [list, list], bool, intersects, eachWithEach(1))],
    },
  ],
};
