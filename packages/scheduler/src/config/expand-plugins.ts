import type { Plugin, QueueSortPlugin, ScorePlugin } from '../framework/plugin.js';
import type { Profile } from '../framework/profile.js';
import {
  type ExtensionPoint,
  extensionPoints,
  type PluginSet,
  type PluginsConfiguration,
} from './scheduler-configuration.js';

/** A plugin at an extension point, with the weight of its score. */
interface Enabled {
  readonly name: string;
  readonly weight?: number;
}

const all = '*';

/** The method of an extension point, where its name differs from that of the point. */
const memberAt: Partial<Record<ExtensionPoint, string>> = { queueSort: 'compare' };

/** The default plugins, with the additions, replacements and removals of a profile. */
export function mergePluginSets(defaults: PluginSet, own: PluginSet = {}): PluginSet {
  const disabled = new Set(own.disabled?.map(({ name }) => name));
  const replaced = new Map(own.enabled?.map((one) => [one.name, one]));
  const enabled: Enabled[] = [];
  for (const one of disabled.has(all) ? [] : (defaults.enabled ?? [])) {
    if (disabled.has(one.name)) continue;
    enabled.push(replaced.get(one.name) ?? one);
    replaced.delete(one.name);
  }
  return { enabled: [...enabled, ...replaced.values()], disabled: own.disabled ?? [] };
}

/**
 * The plugins by extension point. At each point the plugins that are enabled for it come first, then those of
 * `multiPoint` that implement it. Throws an error for contradictions.
 */
export function expandPlugins(config: PluginsConfiguration, registry: ReadonlyMap<string, Plugin>): Profile {
  const everywhere = config.multiPoint?.enabled ?? [];
  refuseTwice('multiPoint', everywhere);
  for (const { name } of everywhere) pluginOf(registry, name);
  const at = (point: ExtensionPoint) => pluginsAt(point, config[point] ?? {}, { everywhere, registry });
  const used = new Set(extensionPoints.flatMap((point) => at(point).map(({ name }) => name)));
  const having = <P extends Plugin>(point: ExtensionPoint) => at(point).map(({ name }) => registry.get(name) as P);
  const sorting = having<QueueSortPlugin>('queueSort');
  if (sorting.length !== 1 || !sorting[0]) throw new Error(`one plugin must sort the queue, not ${sorting.length}`);
  if (at('bind').length === 0) throw new Error('at least one bind plugin is needed');
  return {
    plugins: [...used].map((name) => pluginOf(registry, name)),
    preEnqueue: having('preEnqueue'),
    queueSort: sorting[0],
    preFilter: having('preFilter'),
    filter: having('filter'),
    postFilter: having('postFilter'),
    preScore: having('preScore'),
    score: at('score').map(({ name, weight }) => ({
      plugin: pluginOf(registry, name) as ScorePlugin,
      weight: weight || 1,
    })),
    reserve: having('reserve'),
    permit: having('permit'),
    preBind: having('preBind'),
    bind: having('bind'),
    postBind: having('postBind'),
  };
}

function pluginsAt(
  point: ExtensionPoint,
  { enabled = [], disabled = [] }: PluginSet,
  { everywhere, registry }: { readonly everywhere: readonly Enabled[]; readonly registry: ReadonlyMap<string, Plugin> },
): Enabled[] {
  refuseTwice(point, enabled);
  for (const { name } of enabled)
    if (!extendsPoint(pluginOf(registry, name), point))
      throw new Error(`plugin ${JSON.stringify(name)} does not extend ${point} plugin`);
  const own = new Set(enabled.map(({ name }) => name));
  const left = new Set(disabled.map(({ name }) => name));
  const shared = new Set(everywhere.map(({ name }) => name));
  const rest = left.has(all)
    ? []
    : everywhere.filter(
        ({ name }) => !own.has(name) && !left.has(name) && extendsPoint(pluginOf(registry, name), point),
      );
  const overriding = enabled.filter(({ name }) => shared.has(name));
  return [...overriding, ...enabled.filter(({ name }) => !shared.has(name)), ...rest];
}

function extendsPoint(plugin: Plugin, point: ExtensionPoint): boolean {
  return (memberAt[point] ?? point) in plugin;
}

function pluginOf(registry: ReadonlyMap<string, Plugin>, name: string): Plugin {
  const plugin = registry.get(name);
  if (!plugin) throw new Error(`plugin ${JSON.stringify(name)} does not exist`);
  return plugin;
}

function refuseTwice(point: string, enabled: readonly Enabled[]): void {
  const names = enabled.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new Error(`plugin ${JSON.stringify(twice)} already registered as ${JSON.stringify(point)}`);
}
