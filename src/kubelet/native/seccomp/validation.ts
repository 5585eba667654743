import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
  root,
  tooLong,
  tooMany,
} from "../../../meta/field-error.ts";
import { validateBoundedList } from "../../../meta/validation/bounded-list.ts";
import { rangeProblems } from "../../../meta/validation/number.ts";
import { report } from "../../../meta/validation/report.ts";
import { actions, architectures, flags, operators } from "./profile.ts";
import type { ArgumentJson, FilterJson, ProfileJson, SyscallJson } from "./schema.ts";

type Issues = Generator<FieldError>;

/**
 * The bounds of a profile: decoding and compiling it take less than 100 ms. `meta/json.ts` bounds the number of all
 * values. Docker's default profile has 14 KB and 37 rules.
 */
export const limits = {
  fileBytes: 256 * 1024,
  rules: 1024,
  /** Names of one rule. */
  names: 4096,
  /** Conditions of one rule. One for each argument is usual; more are alternatives. */
  args: 32,
  /** Names times conditions, of all rules together. One takes about four instructions, of 4096. */
  conditions: 1024,
  /** Architectures, flags, capabilities. */
  entries: 64,
  nameBytes: 64,
} as const;

const lastArgument = 5;
/** A filter returns 16 bits beside the action. The kernel takes 4095 for a larger errno. */
const greatestErrno = 0xffff;
export const greatestValue = 2n ** 64n - 1n;
export const kernelPattern = /^(\d{1,3})\.(\d{1,3})$/;

const agents = "this runtime has no seccomp agents (SCMP_ACT_NOTIFY)";

/** Yields the problems of a profile. */
export function* validateProfile(profile: ProfileJson): Issues {
  const { defaultAction, defaultErrnoRet, listenerPath = "", archMap = [], syscalls = [] } = profile;
  yield* validateAction(defaultAction, root.child("defaultAction"));
  yield* validateErrno(defaultErrnoRet, root.child("defaultErrnoRet"));
  if (listenerPath !== "") yield forbidden(root.child("listenerPath"), agents);
  if (archMap.length > 0 && (profile.architectures ?? []).length > 0) {
    const message =
      "both 'architectures' and 'archMap' are specified in the seccomp profile, use either 'architectures' or 'archMap'";
    yield forbidden(root.child("archMap"), message);
  }
  yield* validateBoundedList(
    profile.architectures,
    limits.entries,
    root.child("architectures"),
    validateArchitecture,
  );
  yield* validateBoundedList(archMap, limits.entries, root.child("archMap"), function* (entry, path) {
    yield* validateArchitecture(entry.architecture, path.child("architecture"));
    const place = path.child("subArchitectures");
    yield* validateBoundedList(entry.subArchitectures, limits.entries, place, validateArchitecture);
  });
  yield* validateBoundedList(profile.flags, limits.entries, root.child("flags"), validateFlag);
  yield* validateBoundedList(syscalls, limits.rules, root.child("syscalls"), validateRule);
  const conditions = syscalls.reduce((sum, { names = [], args = [] }) => sum + names.length * args.length, 0);
  if (conditions > limits.conditions) yield tooMany(root.child("syscalls"), conditions, limits.conditions);
}

function* validateRule(rule: SyscallJson, path: FieldPath): Issues {
  const { name = "", names = [], action, errnoRet, args } = rule;
  if (name !== "" && names.length > 0) {
    const message =
      "both 'name' and 'names' are specified in the seccomp profile, use either 'name' or 'names'";
    yield forbidden(path.child("name"), message);
  }
  yield* validateLength(name, path.child("name"));
  yield* validateBoundedList(names, limits.names, path.child("names"), function* (one, place) {
    if (one === "") yield requiredValue(place);
    yield* validateLength(one, place);
  });
  yield* validateAction(action, path.child("action"));
  yield* validateErrno(errnoRet, path.child("errnoRet"));
  yield* validateBoundedList(args, limits.args, path.child("args"), validateArgument);
  yield* validateFilter(rule.includes, path.child("includes"));
  yield* validateFilter(rule.excludes, path.child("excludes"));
}

function* validateArgument({ index = 0, value, valueTwo, op }: ArgumentJson, path: FieldPath): Issues {
  yield* report(path.child("index"), index, rangeProblems(index, 0, lastArgument));
  yield* validateValue(value, path.child("value"));
  yield* validateValue(valueTwo, path.child("valueTwo"));
  yield* validateKnown(op, operators, path.child("op"));
}

/** Requires an integer of 64 bits without sign. An absent one is 0. */
function* validateValue(value: unknown, path: FieldPath): Issues {
  if (value === undefined || value === null || integerOf(value) !== undefined) return;
  const shown = typeof value === "number" || typeof value === "bigint" ? value : typeof value;
  yield invalid(path, shown, `must be an integer between 0 and ${greatestValue}, inclusive`);
}

/** Returns the integer of a JSON value; undefined unless it has at most 64 bits and no sign. */
export function integerOf(value: unknown): bigint | undefined {
  if (typeof value === "number" && !Number.isSafeInteger(value)) return undefined;
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  const integer = BigInt(value);
  return integer >= 0n && integer <= greatestValue ? integer : undefined;
}

function* validateFilter(filter: FilterJson | undefined, path: FieldPath): Issues {
  const { caps, arches, minKernel = "" } = filter ?? {};
  yield* validateBoundedList(caps, limits.entries, path.child("caps"), validateLength);
  yield* validateBoundedList(arches, limits.entries, path.child("arches"), validateLength);
  yield* validateKernel(minKernel, path.child("minKernel"));
}

/** Requires a version as moby/profiles does: two numbers of 8 bits, not both 0. */
function* validateKernel(text: string, path: FieldPath): Issues {
  if (text === "") return;
  if (text.length > limits.nameBytes) return yield tooLong(path, limits.nameBytes);
  const numbers = kernelPattern.exec(text)?.slice(1).map(Number);
  if (numbers === undefined || numbers.some((one) => one > 255))
    return yield invalid(path, text, 'invalid kernel version, expected "<kernel>.<major>"');
  if (numbers.every((one) => one === 0)) yield invalid(path, text, "version cannot be 0.0");
}

function* validateAction(action: string, path: FieldPath): Issues {
  if (action === "SCMP_ACT_NOTIFY") yield forbidden(path, agents);
  else yield* validateKnown(action, Object.keys(actions), path);
}

function* validateArchitecture(name: string, path: FieldPath): Issues {
  yield* validateKnown(name, architectures, path);
}

function* validateFlag(name: string, path: FieldPath): Issues {
  if (name === "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV") yield forbidden(path, agents);
  else yield* validateKnown(name, Object.keys(flags), path);
}

function* validateErrno(errno: number | undefined, path: FieldPath): Issues {
  if (errno !== undefined) yield* report(path, errno, rangeProblems(errno, 0, greatestErrno));
}

/** Requires one of a fixed set of names. */
function* validateKnown(name: string, known: readonly string[], path: FieldPath): Issues {
  if (name === "") yield requiredValue(path);
  else if (name.length > limits.nameBytes) yield tooLong(path, limits.nameBytes);
  else if (!known.includes(name)) yield notSupported(path, name, known);
}

function* validateLength(name: string, path: FieldPath): Issues {
  if (Buffer.byteLength(name) > limits.nameBytes) yield tooLong(path, limits.nameBytes);
}
