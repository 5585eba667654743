import { type Comprehension, hiddenAccumulator } from "../ast.ts";
import { GatheringList, HashMap } from "../collections.ts";
import type { Frame } from "../frame.ts";
import { goTypeName } from "../format-value.ts";
import { CelError, CelList, CelMap, type Result, type Value } from "../values.ts";
import type { Planned, Step } from "./planned.ts";
import type { PlanContext } from "./plan-context.ts";

interface Loop {
  readonly range: Step;
  readonly first: number;
  readonly second: number | undefined;
  readonly accumulator: number;
  /** Undefined when the condition is always true. */
  readonly condition: Step | undefined;
  readonly step: Step;
  readonly result: Step;
}

export function planComprehension(planner: PlanContext, comprehension: Comprehension): Planned {
  const { accumulator: name, variable, secondVariable } = comprehension;
  const range = planner.plan(comprehension.range).run;
  const initial = startOf(comprehension) ?? planner.plan(comprehension.initial).run;
  return planner.withLocal(name, initial, (accumulator) => {
    const within = (first: number, second: number | undefined): Loop => {
      const condition = planner.plan(comprehension.condition);
      const isAlways = condition.constant === true;
      const step = planner.plan(comprehension.step).run;
      const always = isAlways ? undefined : condition.run;
      return { range, first, second, accumulator, condition: always, step, result };
    };
    const result = planner.plan(comprehension.result).run;
    const loop = planner.withLocal(variable, undefined, (first) =>
      secondVariable === undefined
        ? within(first, undefined)
        : planner.withLocal(secondVariable, undefined, (second) => within(first, second)),
    );
    return { run: (frame) => fold(frame, loop) };
  });
}

/**
 * The initial value of an accumulator. Macros that build a list or a map modify it in place instead of
 * copying it for each element.
 */
function startOf({ accumulator, initial }: Comprehension): Step | undefined {
  if (accumulator !== hiddenAccumulator) return undefined;
  if (initial.kind === "list" && initial.elements.length === 0) return () => new GatheringList();
  if (initial.kind === "map" && initial.entries.length === 0) return () => new HashMap();
  return undefined;
}

function fold(frame: Frame, loop: Loop): Result {
  const range = loop.range(frame);
  if (range instanceof CelError) return range;
  frame.locals[loop.accumulator] = undefined;
  if (range instanceof CelList) foldList(frame, loop, range);
  else if (range instanceof CelMap) foldMap(frame, loop, range);
  else return notIterable(range, loop.second !== undefined);
  const result = loop.result(frame);
  return result instanceof GatheringList ? result.complete() : result;
}

function notIterable(value: Value, hasTwoVariables: boolean): CelError {
  const type = goTypeName(value);
  return new CelError(
    hasTwoVariables
      ? `unsupported comprehension range type: ${type}`
      : `got '${type}', expected iterable type`,
  );
}

function foldList(frame: Frame, loop: Loop, list: CelList): void {
  for (let i = 0; i < list.size; i++) {
    frame.locals[loop.first] = loop.second === undefined ? list.at(i) : i;
    if (loop.second !== undefined) frame.locals[loop.second] = list.at(i);
    if (!turn(frame, loop)) return;
  }
}

function foldMap(frame: Frame, loop: Loop, map: CelMap): void {
  for (const key of map.keys()) {
    frame.locals[loop.first] = key;
    if (loop.second !== undefined) frame.locals[loop.second] = map.get(key) ?? null;
    if (!turn(frame, loop)) return;
  }
}

/**
 * Runs one iteration. Returns whether the loop continues. A condition that is an error does not end the loop.
 */
function turn(frame: Frame, { condition, step, accumulator }: Loop): boolean {
  if (condition !== undefined && condition(frame) === false) return false;
  frame.locals[accumulator] = step(frame);
  return true;
}
