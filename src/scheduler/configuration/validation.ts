import { isExtended } from "../../api/core/validation/resources.ts";
import { duplicate, type FieldError, FieldPath, invalid, requiredValue } from "../../meta/field-error.ts";
import { parseGoDuration } from "../../meta/protobuf/go-duration.ts";
import { validateLabelKey } from "../../meta/validation/labels.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { validateArguments } from "./argument-validation.ts";
import type { PluginArguments } from "./arguments.ts";
import type {
  Extender,
  KubeSchedulerConfiguration,
  KubeSchedulerProfile,
  LeaderElection,
  PluginSet,
} from "./schema.ts";

type Issues = Generator<FieldError>;

/**
 * The rules of scheduler `apis/config/validation`, for a configuration with its defaults. `args` are the decoded arguments
 * of each profile's plugins.
 */
export function* validateConfiguration(
  {
    apiVersion = "",
    parallelism = 0,
    percentageOfNodesToScore,
    podInitialBackoffSeconds: first = 0,
    podMaxBackoffSeconds: last = 0,
    clientConnection,
    leaderElection,
    profiles = [],
    extenders = [],
  }: KubeSchedulerConfiguration,
  args: readonly PluginArguments[],
): Issues {
  const { burst = 0 } = clientConnection;
  if (burst < 0)
    yield invalid(new FieldPath("clientConnection").child("burst"), burst, "must be non-negative");
  yield* validateElection(leaderElection, new FieldPath("leaderElection"));
  if (parallelism <= 0)
    yield invalid(new FieldPath("parallelism"), parallelism, "should be an integer value greater than zero");
  const path = new FieldPath("profiles");
  for (const [i, profile] of profiles.entries()) {
    yield* validateProfile(profile, args[i] ?? {}, apiVersion, path.index(i));
    const { schedulerName = "" } = profile;
    const earlier = profiles.findIndex((one) => (one.schedulerName ?? "") === schedulerName);
    if (earlier < i)
      yield duplicate(
        path.index(i).child("schedulerName"),
        path.index(earlier).child("schedulerName").toString(),
      );
  }
  yield* validateCommonQueueSort(profiles, path);
  yield* validatePercentage(percentageOfNodesToScore, new FieldPath("percentageOfNodesToScore"));
  if (first <= 0) yield invalid(new FieldPath("podInitialBackoffSeconds"), first, "must be greater than 0");
  if (last < first)
    yield invalid(
      new FieldPath("podMaxBackoffSeconds"),
      last,
      "must be greater than or equal to PodInitialBackoffSeconds",
    );
  yield* validateExtenders(extenders, new FieldPath("extenders"));
}

function* validatePercentage(value: number | undefined, path: FieldPath): Issues {
  if (value !== undefined && (value < 0 || value > 100))
    yield invalid(path, value, "not in valid range [0-100]");
}

function* validateProfile(
  { schedulerName = "", percentageOfNodesToScore, plugins = {}, pluginConfig = [] }: KubeSchedulerProfile,
  args: PluginArguments,
  apiVersion: string,
  path: FieldPath,
): Issues {
  if (schedulerName === "") yield requiredValue(path.child("schedulerName"));
  yield* validatePercentage(percentageOfNodesToScore, path.child("percentageOfNodesToScore"));
  const { multiPoint: _, ...points } = plugins;
  for (const [point, { enabled = [] }] of Object.entries(points))
    for (const [i, { name = "" }] of enabled.entries())
      if (removedPlugins.has(name))
        yield removed(path.child("plugins", point, "enabled").index(i), name, apiVersion);
  const seen = new Set<string>();
  for (const [i, { name = "" }] of pluginConfig.entries()) {
    const own = path.child("pluginConfig").index(i);
    if (seen.has(name)) yield duplicate(own, name);
    seen.add(name);
    if (removedPlugins.has(name)) yield removed(own, name, apiVersion);
    else yield* validateArguments(name, args, own.child("args"));
  }
}

const removedPlugins = new Set(["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"]);

function removed(path: FieldPath, name: string, apiVersion: string): FieldError {
  const versions = `"v1" (KubeSchedulerConfiguration is version ${JSON.stringify(apiVersion)})`;
  return invalid(path, name, `was invalid in version ${versions}`);
}

/** All profiles sort the one queue: by the same plugin, with the same arguments. */
function* validateCommonQueueSort(profiles: readonly KubeSchedulerProfile[], path: FieldPath): Issues {
  const [first, ...others] = profiles;
  const enabled = first?.plugins?.queueSort?.enabled ?? [];
  const name = enabled[0]?.name ?? "";
  if (enabled.length > 1)
    yield invalid(
      path.index(0).child("plugins", "queueSort", "Enabled"),
      enabled.length,
      "only one queue sort plugin can be enabled",
    );
  const canon = shownSet(first?.plugins?.queueSort);
  const args = name === "" ? undefined : first?.pluginConfig?.findLast((one) => one.name === name)?.args;
  for (const [i, { plugins, pluginConfig = [] }] of others.entries()) {
    const own = path.index(i + 1);
    const set = shownSet(plugins?.queueSort);
    if (!deepEqual(set, canon))
      yield invalid(own.child("plugins", "queueSort"), set, "must be the same for all profiles");
    for (const one of pluginConfig)
      if ((one.name ?? "") === name && !deepEqual(one.args, args))
        yield invalid(
          own.child("pluginConfig", "args"),
          one.args,
          "queueSort must be the same for all profiles",
        );
  }
}

/** The form in which upstream compares and shows a set of plugins: its internal type. */
function shownSet({ enabled = [], disabled = [] }: PluginSet = {}): object {
  const shown = (list: PluginSet["enabled"] = [], isWeighted: boolean) =>
    list.length === 0
      ? null
      : list.map(({ name = "", weight = 0 }) => ({ Name: name, Weight: isWeighted ? weight : 0 }));
  return { Enabled: shown(enabled, true), Disabled: shown(disabled, false) };
}

/** The rules of component-base `config/validation`, and that only Leases are locks. */
function* validateElection(
  {
    leaderElect = false,
    leaseDuration = "0s",
    renewDeadline = "0s",
    retryPeriod = "0s",
    resourceLock = "",
    resourceNamespace = "",
    resourceName = "",
  }: LeaderElection,
  path: FieldPath,
): Issues {
  if (!leaderElect) return;
  const times = { leaseDuration, renewDeadline, retryPeriod };
  for (const [name, time] of Object.entries(times))
    if (nanoseconds(time) <= 0n) yield invalid(path.child(name), time, "must be greater than zero");
  // Upstream shows the other one of the two values.
  if (nanoseconds(leaseDuration) <= nanoseconds(renewDeadline))
    yield invalid(path.child("leaseDuration"), renewDeadline, "must be greater than `RenewDeadline`");
  const names = { resourceLock, resourceNamespace, resourceName };
  for (const [name, value] of Object.entries(names)) if (value === "") yield requiredValue(path.child(name));
  if (resourceLock !== "leases")
    yield invalid(path.child("resourceLock"), resourceLock, 'resourceLock value must be "leases"');
}

/** The length of a duration, which decoding has checked. */
const nanoseconds = (text: string) => parseGoDuration(text) ?? 0n;

function* validateExtenders(extenders: readonly Extender[], path: FieldPath): Issues {
  const seen = new Set<string>();
  for (const [i, { prioritizeVerb = "", weight = 0, managedResources = [] }] of extenders.entries()) {
    const own = path.index(i);
    if (prioritizeVerb !== "" && weight <= 0)
      yield invalid(own.child("weight"), weight, "must have a positive weight applied to it");
    for (const [j, { name = "" }] of managedResources.entries()) {
      const named = own.child("managedResources").index(j).child("name");
      const problems = [...validateLabelKey(name, named)];
      yield* problems;
      if (problems.length === 0 && !isExtended(name))
        yield invalid(named, name, "is an invalid extended resource name");
      if (seen.has(name)) yield invalid(named, name, "duplicate extender managed resource name");
      seen.add(name);
    }
  }
  const binders = extenders.filter(({ bindVerb = "" }) => bindVerb !== "").length;
  if (binders > 1)
    yield invalid(
      path,
      `found ${binders} extenders implementing bind`,
      "only one extender can implement bind",
    );
}
