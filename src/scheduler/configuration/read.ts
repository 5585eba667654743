import {
  checkConfiguration,
  decodeStrictly,
  parseConfiguration,
  refusing,
} from "../../meta/component-configuration.ts";
import { type PluginEntry, pluginEntries } from "../plugins.ts";
import type { Profile } from "../framework.ts";
import { argumentTypes, type ArgumentName, type PluginArguments } from "./arguments.ts";
import { withElectionDefaults } from "./defaults.ts";
import { profileOf } from "./profile.ts";
import { apiVersion, type Extender, kind, KubeSchedulerConfiguration } from "./schema.ts";
import { validateConfiguration } from "./validation.ts";

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
  const decoded = decodeStrictly(KubeSchedulerConfiguration, parseConfiguration(text, { apiVersion, kind }));
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
  checkConfiguration([...validateConfiguration(withElectionDefaults(configuration), args)]);
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

/** Undefined for a plugin that takes no arguments of a known type. */
function argumentsOf(name: string, value: unknown, where: string): unknown {
  if (!Object.hasOwn(argumentTypes, name)) return undefined;
  // Safe: just looked up.
  return decodeStrictly<unknown>(argumentTypes[name as ArgumentName], value ?? {}, where);
}
