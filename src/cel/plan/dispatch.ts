import type { FunctionDeclaration, Overload } from "../declarations.ts";
import { isDyn } from "../types.ts";
import type { Type } from "../type.ts";
import {
  CelError,
  CelList,
  CelMap,
  Duration,
  noSuchOverload,
  type Result,
  Timestamp,
  type Value,
} from "../values.ts";
import { runtimeType } from "../runtime-type.ts";

/** Reports whether a parameter accepts a value. For lists and maps, only the first entry is tested. */
type Guard = (value: Value) => boolean;

function guard(type: Type): Guard {
  switch (type.kind) {
    case "any":
    case "dyn":
    case "parameter":
      return () => true;
    case "bool":
      return (value) => typeof value === "boolean";
    case "int":
      return (value) => typeof value === "number" || typeof value === "bigint";
    case "string":
      return (value) => typeof value === "string";
    case "list":
      return listGuard(type);
    case "map":
      return mapGuard(type);
    default:
      return (value) => typeof value === "object" && runtimeType(value).name === type.name;
  }
}

function listGuard({ parameters: [element] }: Type): Guard {
  if (element === undefined || isOpen(element)) return (value) => value instanceof CelList;
  const fits = guard(element);
  return (value) => {
    if (!(value instanceof CelList) || value.size === 0) return value instanceof CelList;
    const first = value.at(0);
    return !(first instanceof CelError) && fits(first);
  };
}

function mapGuard({ parameters: [key, element] }: Type): Guard {
  if (key === undefined || element === undefined || (isOpen(key) && isOpen(element))) {
    return (value) => value instanceof CelMap;
  }
  const keyFits = guard(key);
  const elementFits = guard(element);
  return (value) => {
    if (!(value instanceof CelMap)) return false;
    for (const first of value.keys()) {
      const found = value.get(first) ?? null;
      return keyFits(first) && !(found instanceof CelError) && elementFits(found);
    }
    return true;
  };
}

const isOpen = (type: Type) => isDyn(type) || type.kind === "parameter";

/** A function that chooses the overload by the values of its arguments. */
export type Dispatch = (args: readonly Value[]) => Result;

/** Tries the overloads with this number of parameters, in the order of their declaration. */
export function dispatcher(
  declaration: FunctionDeclaration,
  overloads: readonly Overload[],
  count: number,
): Dispatch {
  const candidates = overloads
    .filter(({ parameters }) => parameters.length === count)
    .map(({ parameters, call }) => ({ guards: parameters.map(guard), call }));
  return (args) => {
    for (const { guards, call } of candidates) if (areFit(args, guards)) return call(...args);
    return mismatch(declaration, args);
  };
}

function areFit(args: readonly Value[], guards: readonly Guard[]): boolean {
  for (let i = 0; i < guards.length; i++) {
    const arg = args[i];
    if (arg === undefined || guards[i]?.(arg) !== true) return false;
  }
  return true;
}

/**
 * The error for arguments that no overload accepts. In upstream's messages, most operators do not list the
 * arguments.
 */
function mismatch({ name, overloads, blames }: FunctionDeclaration, args: readonly Value[]): CelError {
  const [first = null] = args;
  const isReceiver = typeof first === "string" || first instanceof Timestamp || first instanceof Duration;
  const takesFirst = () =>
    overloads.some(({ parameters: [type] }) => type !== undefined && guard(type)(first));
  switch (blames) {
    case "nothing":
      return noSuchOverload;
    case "function":
      return isReceiver || takesFirst() ? noSuchOverload : new CelError(`no such overload: ${name}`);
    default:
      return new CelError(
        `no such overload: ${name}(${args.map((arg) => runtimeType(arg).name).join(", ")})`,
      );
  }
}
