import { checkConfiguration, ConfigurationError, refusing } from "../../../meta/component-configuration.ts";
import { decode } from "../../../meta/decode.ts";
import { JsonError, parseJson, TooManyValuesError } from "../../../meta/json.ts";
import { errorText } from "../../../util/error-text.ts";
import {
  type Condition,
  type KernelVersion,
  type Requirement,
  type Rule,
  type SeccompProfile,
} from "./profile.ts";
import { type ArgumentJson, type FilterJson, ProfileJson, type SyscallJson } from "./schema.ts";
import { integerOf, kernelPattern, limits, validateProfile } from "./validation.ts";

/** The number of problems in a message. */
const mostProblems = 10;

/**
 * Decodes and checks a profile in JSON. Unknown fields are ignored, as containerd ignores them.
 *
 * @throws ConfigurationError with the paths of invalid fields
 */
export function decodeProfile(bytes: Uint8Array): SeccompProfile {
  if (bytes.length > limits.fileBytes)
    throw new ConfigurationError(`the seccomp profile is larger than ${limits.fileBytes} bytes`);
  const value = parse(bytes);
  const json = refusing(() => decode(ProfileJson, value));
  checkConfiguration([...validateProfile(json).take(mostProblems)]);
  return profileOf(json);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes, (text) => JSON.parse(text, exactValue)).value;
  } catch (error) {
    if (error instanceof JsonError || error instanceof TooManyValuesError)
      throw new ConfigurationError(errorText(error), { cause: error });
    throw error;
  }
}

/** The digits of 64 bits. */
const longestInteger = 20;

/** Revives the values of conditions that a number cannot hold exactly as bigints. */
function exactValue(key: string, value: unknown, { source = "" }: { source?: string } = {}): unknown {
  if (key !== "value" && key !== "valueTwo") return value;
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return source.length <= longestInteger && /^\d+$/.test(source) ? BigInt(source) : value;
}

/** The fields are valid. */
function profileOf(json: ProfileJson): SeccompProfile {
  const { defaultAction, defaultErrnoRet, architectures = [], archMap = [], flags, syscalls = [] } = json;
  return {
    defaultAction,
    defaultErrnoRet,
    architectures,
    archMap: archMap.map((entry) => ({
      architecture: entry.architecture,
      subArchitectures: entry.subArchitectures ?? [],
    })),
    flags,
    syscalls: syscalls.map(ruleOf),
  };
}

function ruleOf({ name = "", names = [], action, errnoRet, args = [], ...rule }: SyscallJson): Rule {
  return {
    names: name === "" ? names : [name],
    action,
    errnoRet,
    args: args.map(conditionOf),
    includes: requirementOf(rule.includes),
    excludes: requirementOf(rule.excludes),
  };
}

function conditionOf({ index = 0, value, valueTwo, op }: ArgumentJson): Condition {
  return {
    index,
    value: integerOf(value) ?? 0n,
    valueTwo: integerOf(valueTwo) ?? 0n,
    op,
  };
}

function requirementOf(filter: FilterJson | undefined): Requirement | undefined {
  if (filter === undefined) return undefined;
  const { caps = [], arches = [], minKernel = "" } = filter;
  return { caps, arches, minKernel: kernelVersionOf(minKernel) };
}

function kernelVersionOf(text: string): KernelVersion | undefined {
  const [, kernel, major] = kernelPattern.exec(text) ?? [];
  return kernel === undefined ? undefined : { kernel: Number(kernel), major: Number(major) };
}
