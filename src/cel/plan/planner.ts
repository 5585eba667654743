import type { Expression, Identifier } from "../ast.ts";
import type { Checked } from "../check.ts";
import type { Environment } from "../environment.ts";
import type { Reference } from "../names.ts";
import { Scope } from "../scope.ts";
import type { Type } from "../type.ts";
import { CelError, type Result } from "../values.ts";
import { planCall } from "./call.ts";
import { planComprehension } from "./comprehension.ts";
import { planList, planMap, planStruct } from "./literal.ts";
import { look, test } from "./lookup.ts";
import type { PlanContext } from "./plan-context.ts";
import { constant, endInTest, extend, path, type Planned, PlanError, type Step } from "./planned.ts";

/** The slot of a comprehension's variable, and its initial value if it is evaluated lazily. */
interface Local {
  readonly slot: number;
  readonly initial: Step | undefined;
}

/** Plans a checked expression: converts it once to closures, whose calls evaluate it. */
export class Planner implements PlanContext {
  readonly environment: Environment;
  readonly #checked: Checked;
  readonly #locals = new Scope<Local>();
  #slots = 0;

  constructor(environment: Environment, checked: Checked) {
    this.environment = environment;
    this.#checked = checked;
  }

  /** The number of slots for local variables. */
  get slots(): number {
    return this.#slots;
  }

  reference(expression: Expression): Reference | undefined {
    return this.#checked.references[expression.id];
  }

  /** Plans a type name. As upstream, object types can be made and read, but are not values. */
  #type(type: Type): Planned {
    if (this.environment.types.some((provider) => provider.findType(type.name) !== undefined)) {
      throw new PlanError(`reference to undefined type: ${type.name}`);
    }
    return constant(type);
  }

  plan(expression: Expression): Planned {
    const reference = this.reference(expression);
    if (reference?.kind === "type" && expression.kind !== "struct") return this.#type(reference.type);
    if (reference?.kind === "variable") return this.#variable(reference.name);
    switch (expression.kind) {
      case "literal":
        return constant(expression.value);
      case "identifier":
        return this.#undeclared(expression);
      case "select": {
        const container = this.plan(expression.operand);
        const { field } = expression;
        return expression.test
          ? endInTest(container, (frame, value) => test(frame, value, field))
          : extend(container, (frame, value) => look(frame, value, field));
      }
      case "call":
        return planCall(this, expression);
      case "list":
        return planList(this, expression);
      case "map":
        return planMap(this, expression);
      case "struct":
        return planStruct(this, expression);
      case "comprehension":
        return planComprehension(this, expression);
    }
  }

  withLocal<T>(name: string, initial: Step | undefined, within: (slot: number) => T): T {
    const slot = this.#slots;
    this.#slots += 1;
    return this.#locals.within([[name, { slot, initial }]], () => within(slot));
  }

  #variable(name: string): Planned {
    const local = this.#locals.get(name);
    if (local === undefined) {
      return path((frame) => {
        const value = frame.variable(name);
        return value === undefined ? new CelError(`no such attribute(s): ${name}`) : value;
      });
    }
    const { slot, initial } = local;
    return path((frame) => {
      const known = frame.locals[slot];
      if (known !== undefined || initial === undefined) return known ?? null;
      const value: Result = initial(frame);
      frame.locals[slot] = value;
      return value;
    });
  }

  /** Only reached by expressions that the checker refused. */
  #undeclared({ name }: Identifier): Planned {
    return this.#variable(name);
  }
}
