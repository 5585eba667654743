import { compareValues, type Operator, operators } from "./compare.ts";
import { JsonPathError } from "./error.ts";
import { isObject } from "../../util/is-object.ts";

/** Finds values in a JSON value. @throws JsonPathError when the path does not fit the value */
export type JsonPath = (value: unknown) => readonly unknown[];

/** Maps the values found so far to the next ones. */
type Step = (values: readonly unknown[]) => readonly unknown[];

/**
 * Parses a path in kubectl's dialect of JSONPath, without braces: `.spec.ports[?(@.name=="http")].port`
 * (client-go `util/jsonpath`). A missing value is not an error: the path then finds nothing. @throws
 * JsonPathError
 */
export function parseJsonPath(text: string): JsonPath {
  const steps = new Parser(text).steps();
  return (value) => run(steps, [value]);
}

function run(steps: readonly Step[], values: readonly unknown[]): readonly unknown[] {
  return steps.reduce((found, step) => step(found), values);
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  steps(): readonly Step[] {
    const steps: Step[] = [];
    while (this.#at < this.#text.length) {
      const step = this.#step();
      if (step !== undefined) steps.push(step);
    }
    return steps;
  }

  #step(): Step | undefined {
    if (this.#take(/[ @$]/) !== undefined) return undefined;
    if (this.#text.startsWith("[?(", this.#at)) return this.#filter();
    if (this.#take(/\.\./) !== undefined) return this.#recursive();
    const list = this.#take(/\[([^\]\n]*)\]/);
    if (list !== undefined) return this.#list(list[1] ?? "");
    if (this.#take(/\./) !== undefined) return this.#field();
    const quoted = this.#take(/(['"])((?:\\.|(?!\1).)*)\1/s);
    if (quoted !== undefined) return constant((quoted[2] ?? "").replaceAll(/\\(.)/gs, "$1"));
    const number = this.#take(/[+-]?[\d.]+/);
    if (number !== undefined) return constant(toNumber(number[0]));
    const word = this.#take(/\w[^\s.,[\]$@{}]*/);
    if (word?.[0] === "true" || word?.[0] === "false") return constant(word[0] === "true");
    if (word !== undefined) throw new JsonPathError(`unrecognized identifier ${word[0]}`);
    const found = this.#text[this.#at] ?? "";
    throw new JsonPathError(
      found === "[" ? "unterminated array" : `unrecognized character in action: ${JSON.stringify(found)}`,
    );
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    const sticky = new RegExp(pattern.source, `${pattern.flags}y`);
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#text);
    if (match === null) return undefined;
    this.#at = sticky.lastIndex;
    return match;
  }

  /** Reads a field name. A backslash escapes characters that would end the name. */
  #field(): Step {
    const name = this.#take(/(?:\\.|[^\s.,[\]$@{}\\])*/s)?.[0] ?? "";
    return name === "*" ? wildcard : field(name.replaceAll("\\", ""));
  }

  #recursive(): Step {
    const rest = this.#take(/(?=\w)/) === undefined ? undefined : this.#field();
    return (values) => {
      const all = values.flatMap(descendants);
      return rest === undefined ? all : rest(all);
    };
  }

  #list(inside: string): Step {
    const parts = inside.split(",");
    if (parts.length > 1) {
      const union = parts.map((part) => new Parser(`[${part.trim()}]`).steps());
      return (values) => union.flatMap((steps) => run(steps, values));
    }
    const key = /^'([^']*)'$/.exec(inside)?.[1];
    if (key !== undefined) {
      const steps = new Parser(`.${key}`).steps();
      return (values) => run(steps, values);
    }
    return slice(inside === "*" ? ":" : inside);
  }

  #filter(): Step {
    const condition = this.#take(/\[\?\(((?:[^"')]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')*)\)\]/s)?.[1];
    if (condition === undefined) throw new JsonPathError("unterminated filter");
    const [, left, operator, right] = /^([^!<>=]+)([!<>=]+)(.+)$/s.exec(condition) ?? [];
    if (left === undefined || operator === undefined || right === undefined) {
      const steps = new Parser(condition).steps();
      return filter((item) => run(steps, [item]).length > 0);
    }
    const compare = operators[operator];
    if (compare === undefined) throw new JsonPathError(`unrecognized filter operator ${operator}`);
    return filter(comparison(new Parser(left).steps(), compare, new Parser(right).steps()));
  }
}

function comparison(left: readonly Step[], operator: Operator, right: readonly Step[]) {
  return (item: unknown): boolean => {
    const [lefts, rights] = [run(left, [item]), run(right, [item])];
    if (lefts.length === 0 || rights.length === 0) return false;
    if (lefts.length > 1 || rights.length > 1)
      throw new JsonPathError("can only compare one element at a time");
    return compareValues(lefts[0], operator, rights[0]);
  };
}

function toNumber(text: string): number {
  const value = Number(text);
  if (Number.isNaN(value)) throw new JsonPathError(`cannot parse number ${text}`);
  return value;
}

const constant =
  (value: unknown): Step =>
  (values) =>
    values.map(() => value);

const field =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []));

const wildcard: Step = (values) => values.flatMap(partsOf);

function partsOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

/** The value and all values below it, except scalars. */
function descendants(value: unknown): readonly unknown[] {
  const parts = partsOf(value);
  return parts.length === 0 ? [] : [value, ...parts.flatMap(descendants)];
}

function filter(holds: (item: unknown) => boolean): Step {
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value))
        throw new JsonPathError(`${typeof value} is not array or slice and cannot be filtered`);
      return value.filter(holds);
    });
}

/** Parses `3`, `-1`, `1:3`, `:` and `::2`. */
function slice(text: string): Step {
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text);
  if (match === null) throw new JsonPathError(`invalid array index ${text}`);
  const [, from = "", to, by] = match;
  const given = (part: string | undefined) =>
    part === undefined || part === ":" ? undefined : Number(part.slice(1));
  const start = from === "" ? undefined : Number(from);
  const isOne = to === undefined && start !== undefined;
  return (values) =>
    values.flatMap((value) => {
      if (value === null || value === undefined) return [];
      if (!Array.isArray(value)) throw new JsonPathError(`${typeof value} is not array or slice`);
      const list: readonly unknown[] = value;
      const first = (start ?? 0) < 0 ? (start ?? 0) + list.length : (start ?? 0);
      const asked = isOne ? first + 1 : (given(to) ?? list.length);
      const last = asked < 0 ? asked + list.length : asked;
      return cut(list, first, last, given(by) ?? 1);
    });
}

function cut(list: readonly unknown[], first: number, last: number, step: number): readonly unknown[] {
  if (first === last) return [];
  const { length } = list;
  const startsOutside = first < 0 || first >= length;
  if (startsOutside || last < 0 || last > length) {
    const index = startsOutside ? first : last - 1;
    throw new JsonPathError(`array index out of bounds: index ${index}, length ${length}`);
  }
  if (first > last) throw new JsonPathError(`starting index ${first} is greater than ending index ${last}`);
  if (step <= 0) throw new JsonPathError("step must be > 0");
  return list.slice(first, last).filter((_, index) => index % step === 0);
}
