import { describe, type FieldError, invalid, notSupported, root } from "../../meta/field-error.ts";
import { parseGoDuration } from "../../meta/protobuf/go-duration.ts";
import { parseQuantity, QuantityError } from "../../meta/quantity.ts";
import { rangeProblems } from "../../meta/validation/number.ts";
import type { Labels } from "../../meta/labels.ts";
import { RuntimeError } from "../runtime.ts";
import { amountOf } from "./configuration/amount.ts";
import { limits } from "./configuration/validation.ts";

/** The beginning of the annotations with which a Pod describes its own containers. */
const prefix = "simulation.knarr.dev/";

/** The settings of one Pod. An absent one leaves the rule's. Times are in milliseconds. */
export interface Overrides {
  readonly startDelay?: number;
  readonly readyDelay?: number;
  readonly runFor?: number;
  readonly exitCode?: number;
  /** Cores. */
  readonly cpu?: number;
  /** Bytes. */
  readonly memory?: number;
}

const none: Overrides = {};
/** A longer value is no number, and would take long to parse. */
const maxLength = 64;
/** A Pod may have thousands of annotations, and the message becomes a part of its status. */
const maxProblems = 4;

interface Setting {
  readonly name: keyof Overrides;
  readonly parse: (text: string) => number | string;
}

const settings: ReadonlyMap<string, Setting> = new Map<string, Setting>([
  ["start-delay", { name: "startDelay", parse: milliseconds }],
  ["ready-delay", { name: "readyDelay", parse: milliseconds }],
  ["run-for", { name: "runFor", parse: milliseconds }],
  ["exit-code", { name: "exitCode", parse: exitCode }],
  ["cpu", { name: "cpu", parse: (text) => amount(text, limits.usage.cpu) }],
  ["memory", { name: "memory", parse: (text) => amount(text, limits.usage.memory) }],
]);

/**
 * Reads the settings of a Pod from its annotations.
 * @throws RuntimeError CreateContainerConfigError, which the container's status shows, for an invalid one
 */
export function overridesOf(annotations: Labels): Overrides {
  const own = Object.entries(annotations).filter(([key]) => key.startsWith(prefix));
  if (own.length === 0) return none;
  const problems: FieldError[] = [];
  const entries = own.flatMap(([key, text]) => {
    const place = root.child("metadata", "annotations").key(key);
    const setting = settings.get(key.slice(prefix.length));
    if (setting === undefined) {
      problems.push(
        notSupported(
          place,
          key,
          [...settings.keys()].map((name) => prefix + name),
        ),
      );
      return [];
    }
    const value =
      text.length > maxLength ? `must be no more than ${maxLength} characters` : setting.parse(text);
    if (typeof value === "number") return [[setting.name, value] as const];
    problems.push(invalid(place, text.slice(0, maxLength), value));
    return [];
  });
  if (problems.length === 0) return Object.fromEntries(entries);
  const told = problems.slice(0, maxProblems).map(describe).join(", ");
  throw new RuntimeError("CreateContainerConfigError", told);
}

/** Returns the value, or the reason why the text is invalid. */
function milliseconds(text: string): number | string {
  const nanoseconds = parseGoDuration(text);
  if (nanoseconds === undefined) return "must be a duration such as 1m30s";
  const value = Number(nanoseconds) / 1e6;
  return value >= 0 && value <= limits.delayMs ? value : "must be between 0s and 596h, inclusive";
}

function exitCode(text: string): number | string {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return value <= limits.exitCode ? value : `must be between 0 and ${limits.exitCode}, inclusive`;
}

function amount(text: string, most: number): number | string {
  try {
    const value = amountOf(parseQuantity(text));
    return rangeProblems(value, 0, most)[0] ?? value;
  } catch (error) {
    if (error instanceof QuantityError) return error.message;
    throw error;
  }
}
