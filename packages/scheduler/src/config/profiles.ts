import { formatFieldError } from '@coracle/apimachinery';
import type { ProfileEntry } from '../framework/profile.js';
import { inTreePlugins, type PluginDependencies } from '../plugins/registry.js';
import type { SchedulerProfile } from '../schedule-one.js';
import { expandPlugins, mergePluginSets } from './expand-plugins.js';
import {
  defaultPluginSet,
  defaultSchedulerName,
  type PluginArguments,
  type PluginSet,
  type ProfileConfiguration,
  type SchedulerConfiguration,
  withDefaults,
} from './scheduler-configuration.js';
import { validateConfiguration } from './validate-configuration.js';

export interface ProfileRequest {
  /** What the plugins of a profile need; they may ask for the profile once it is made. */
  readonly dependencies: (profile: () => SchedulerProfile) => PluginDependencies;
  readonly extraPlugins: readonly ProfileEntry[];
}

/** The profiles of a configuration, by the names that pods ask for. Throws an error that says what is wrong. */
export function profilesOf(given: SchedulerConfiguration, request: ProfileRequest): Map<string, SchedulerProfile> {
  const problems = validateConfiguration(given);
  if (problems.length > 0) throw new Error(problems.map(formatFieldError).join(', '));
  const configuration = withDefaults(given);
  return new Map(
    configuration.profiles.map((profile) => {
      const made = profileOf(profile, configuration.percentageOfNodesToScore, request);
      return [made.schedulerName, made];
    }),
  );
}

function profileOf(
  { schedulerName = defaultSchedulerName, plugins = {}, pluginConfig = [], ...own }: ProfileConfiguration,
  percentageOfNodesToScore: number,
  { dependencies, extraPlugins }: ProfileRequest,
): SchedulerProfile {
  // Plugins read what concerns them, each in its own way.
  const args = Object.fromEntries(pluginConfig.map((one) => [one.name, one.args])) as Partial<PluginArguments>;
  const registry = inTreePlugins(
    dependencies(() => made),
    args,
  );
  for (const { plugin } of extraPlugins) {
    if (registry.has(plugin.name)) throw new Error(`a plugin named ${plugin.name} already exists`);
    registry.set(plugin.name, plugin);
  }
  const unknown = pluginConfig.find(({ name }) => !registry.has(name));
  if (unknown) throw new Error(`plugin ${JSON.stringify(unknown.name)} does not exist`);
  const multiPoint = mergePluginSets(withExtra(extraPlugins), plugins.multiPoint);
  const made: SchedulerProfile = {
    ...expandPlugins({ ...plugins, multiPoint }, registry),
    schedulerName,
    percentageOfNodesToScore: own.percentageOfNodesToScore ?? percentageOfNodesToScore,
  };
  return made;
}

function withExtra(extraPlugins: readonly ProfileEntry[]): PluginSet {
  const extra = extraPlugins.map(({ plugin, weight }) => ({ name: plugin.name, ...(weight && { weight }) }));
  return { enabled: [...(defaultPluginSet.enabled ?? []), ...extra] };
}
