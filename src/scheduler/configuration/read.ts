import { parse } from "yaml";
import { decode, DecodeError } from "../../meta/decode.ts";
import { describe, type FieldError } from "../../meta/field-error.ts";
import type { MessageType } from "../../meta/schema.ts";
import { errorText } from "../../util/error-text.ts";
import { isObject } from "../../util/is-object.ts";
import { type PluginEntry, pluginEntries } from "../plugins.ts";
import type { Profile } from "../framework.ts";
import { argumentTypes, type ArgumentName, type PluginArguments } from "./arguments.ts";
import { profileOf } from "./profile.ts";
import { apiVersion, type Extender, kind, KubeSchedulerConfiguration } from "./schema.ts";
import { validateConfiguration } from "./validation.ts";

/** A configuration is malformed, or names what does not exist. The message is upstream's where it has one. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

export interface SchedulerConfiguration {
  readonly configuration: KubeSchedulerConfiguration;
  /** By `schedulerName`. */
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** The arguments of NodeResourcesFit, with the resources that extenders count instead. */
function withIgnored(args: PluginArguments, extenders: readonly Extender[]): PluginArguments {
  const ignored = extenders
    .flatMap(({ managedResources = [] }) => managedResources)
    .filter(({ ignoredByScheduler = false }) => ignoredByScheduler)
    .map(({ name = "" }) => name);
  if (ignored.length === 0) return args;
  const { NodeResourcesFit: fit = {} } = args;
  return {
    ...args,
    NodeResourcesFit: { ...fit, ignoredResources: [...(fit.ignoredResources ?? []), ...ignored] },
  };
}

const defaultName = "default-scheduler";

/**
 * Reads a KubeSchedulerConfiguration in YAML or JSON. `entries` are the plugins that it can name: more than the default
 * ones for schedulers with plugins of their own. @throws ConfigurationError
 */
export function readConfiguration(
  text: string,
  entries: readonly PluginEntry[] = pluginEntries,
): SchedulerConfiguration {
  const decoded = strictly(KubeSchedulerConfiguration, parsed(text), "");
  const given = decoded.profiles ?? [];
  const profiles = given.length === 0 ? [{}] : given;
  const [first] = profiles;
  const named =
    profiles.length === 1 && first?.schedulerName === undefined
      ? [{ ...first, schedulerName: defaultName }]
      : profiles;
  const configuration = { ...decoded, profiles: named };
  const args = named.map(({ pluginConfig = [] }, i): PluginArguments => {
    const own = pluginConfig.map(({ name = "", args: value }, j) => {
      const where = `decoding .profiles[${i}].pluginConfig[${j}]: decoding args for plugin ${name}: `;
      return [name, argumentsOf(name, value, where)] as const;
    });
    return Object.fromEntries(own.filter(([, value]) => value !== undefined));
  });
  const problems = [...validateConfiguration(configuration, args)];
  if (problems.length > 0) throw new ConfigurationError(problemsText(problems));
  return {
    configuration,
    profiles: new Map(
      named.map((profile, i) => [
        profile.schedulerName ?? "",
        refusing(() => profileOf(profile, withIgnored(args[i] ?? {}, decoded.extenders ?? []), entries)),
      ]),
    ),
  };
}

function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new ConfigurationError(errorText(error), { cause: error });
  }
  if (!isObject(value)) throw new ConfigurationError("the configuration is empty, or no object");
  const { apiVersion: version, kind: name } = value;
  if (name !== kind || version !== apiVersion)
    throw new ConfigurationError(
      `no kind ${JSON.stringify(name ?? "")} is registered for version ${JSON.stringify(version ?? "")}: it must be ${kind} in ${apiVersion}`,
    );
  return value;
}

function strictly<O>(schema: MessageType<O>, value: unknown, where: string): O {
  const report = { unknown: [], keys: 0 };
  const decoded = refusing(() => decode(schema, value, report), where);
  if (report.unknown.length === 0) return decoded;
  const unknown = report.unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  throw new ConfigurationError(`${where}strict decoding error: ${unknown.join(", ")}`);
}

/** Undefined for a plugin that takes no arguments of a known type. */
function argumentsOf(name: string, value: unknown, where: string): unknown {
  if (!Object.hasOwn(argumentTypes, name)) return undefined;
  // Safe: just looked up.
  return strictly<unknown>(argumentTypes[name as ArgumentName], value ?? {}, where);
}

function refusing<T>(work: () => T, where = ""): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DecodeError || error instanceof RangeError)
      throw new ConfigurationError(`${where}${error.message}`, { cause: error });
    throw error;
  }
}

/** Several problems in brackets, as Go's aggregates print them. */
function problemsText(problems: readonly FieldError[]): string {
  const texts = problems.map(describe);
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}
