import type { Plugin, Profile } from "../framework.ts";
import type { PluginEntry } from "../plugins.ts";
import type { PluginArguments } from "./arguments.ts";
import type { KubeSchedulerProfile, Plugins, PluginSet } from "./schema.ts";

type Point = Exclude<keyof Plugins, "multiPoint">;

/** The methods of a plugin at each extension point. Filter and Score are methods of what PreFilter and PreScore return. */
const methods: Readonly<Record<Point, readonly (keyof Plugin)[]>> = {
  preEnqueue: ["preEnqueue"],
  queueSort: [],
  preFilter: ["preFilter"],
  filter: ["preFilter"],
  postFilter: ["postFilter"],
  preScore: ["preScore"],
  score: ["preScore"],
  reserve: ["reserve", "unreserve"],
  permit: ["permit"],
  preBind: ["preBind"],
  bind: ["bind"],
  postBind: ["postBind"],
};
// Safe: the keys of an object literal.
const points = Object.keys(methods) as Point[];

interface Chosen {
  readonly entry: PluginEntry;
  readonly weight: number;
}

/**
 * The plugins of a profile, from the default ones and the profile's changes (scheduler `apis/config/v1/default_plugins.go`
 * and `framework/runtime`). Plugins that a single extension point adds come after the others, at all points.
 * @throws RangeError when a plugin does not exist
 */
export function profileOf(
  { plugins = {} }: KubeSchedulerProfile,
  args: PluginArguments,
  entries: readonly PluginEntry[],
): Profile {
  const find = (name = "") => {
    const found = entries.find((entry) => entry.name === name);
    if (found === undefined) throw new RangeError(`plugin ${JSON.stringify(name)} does not exist`);
    return found;
  };
  const everywhere = merge(
    entries.map((entry) => ({ entry, weight: entry.weight })),
    plugins.multiPoint,
    find,
  );
  const added = points.flatMap((point) => merge([], plugins[point], find));
  const all = new Map(
    [...added, ...everywhere, ...scored(everywhere, plugins.score)].map((one) => [one.entry, one]),
  );
  // The order is that of the profile; a later weight replaces an earlier one.
  const order = new Set([...everywhere, ...added].map(({ entry }) => entry));
  const isEverywhere = new Set(everywhere.map(({ entry }) => entry));
  return (handle) =>
    [...order].map((entry) => {
      const missing = points.filter((point) => !isAt(entry, plugins[point], isEverywhere.has(entry)));
      const hidden = new Set<PropertyKey>(missing.flatMap((point) => methods[point]));
      return { plugin: without(entry.make(args, handle), hidden), weight: all.get(entry)?.weight ?? 0 };
    });
}

/** Leaves out what is disabled, and adds what is enabled; an enabled plugin that is there already gets its weight. */
function merge(
  defaults: readonly Chosen[],
  { enabled = [], disabled = [] }: PluginSet = {},
  find: (name?: string) => PluginEntry,
): readonly Chosen[] {
  const kept = defaults.filter(({ entry }) => !names(disabled, entry.name));
  const chosen = new Map(kept.map((one) => [one.entry, one]));
  for (const { name, weight } of enabled) {
    const entry = find(name);
    chosen.set(entry, { entry, weight: weight || 1 });
  }
  return [...chosen.values()];
}

/** The weights that the extension point Score gives to plugins that are there already. */
function scored(present: readonly Chosen[], { enabled = [] }: PluginSet = {}): readonly Chosen[] {
  return present.flatMap(({ entry }) => {
    const weight = enabled.find(({ name }) => name === entry.name)?.weight;
    return weight === undefined ? [] : [{ entry, weight }];
  });
}

function isAt(
  { name }: PluginEntry,
  { enabled = [], disabled = [] }: PluginSet = {},
  isEverywhere: boolean,
): boolean {
  if (enabled.some((one) => one.name === name)) return true;
  return isEverywhere && !names(disabled, name);
}

function names(disabled: readonly { readonly name?: string }[], own: string): boolean {
  return disabled.some(({ name }) => name === "*" || name === own);
}

/** The plugin without some of its methods. */
function without(plugin: Plugin, hidden: ReadonlySet<PropertyKey>): Plugin {
  if (hidden.size === 0) return plugin;
  return new Proxy(plugin, {
    get: (target, key): unknown => (hidden.has(key) ? undefined : Reflect.get(target, key)),
  });
}
