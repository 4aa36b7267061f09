import type { EventRecorder } from '@coracle/client';
import { expandPlugins, mergePluginSets } from './config/expand-plugins.js';
import {
  type CompleteConfiguration,
  defaultPluginSet,
  defaultSchedulerName,
  type ExtenderConfiguration,
  type PluginArguments,
  type PluginSet,
  type ProfileConfiguration,
  type SchedulerConfiguration,
  withDefaults,
} from './config/scheduler-configuration.js';
import { requireValid } from './config/validate-configuration.js';
import { withMeasuredPlugins } from './framework/measured-plugins.js';
import type { Measuring } from './framework/measuring.js';
import type { Profile, ProfileEntry } from './framework/profile.js';
import { inTreePlugins, type PluginHandle } from './plugins/registry.js';
import type { SchedulerProfile } from './schedule-one.js';

export interface ProfileRequest {
  /** An event recorder with the name of a scheduler. */
  readonly recorderFor: (schedulerName: string) => EventRecorder;
  /** Dependencies of the plugins of a profile; they may use the profile once it is created. */
  readonly handle: (profile: () => SchedulerProfile) => PluginHandle;
  readonly extraPlugins: readonly ProfileEntry[];
  /** Records the durations of the plugins of a profile; nothing is measured without it. */
  readonly measuring?: (schedulerName: string) => Measuring;
}

/** The profiles of a configuration by scheduler name. Throws an error with the problems. */
export function profilesOf(
  schedulerConfiguration: SchedulerConfiguration,
  request: ProfileRequest,
): Map<string, SchedulerProfile> {
  requireValid(schedulerConfiguration);
  const configuration = withDefaults(schedulerConfiguration);
  return new Map(
    configuration.profiles.map((profile) => {
      const made = profileOf(leavingToExtenders(profile, configuration.extenders), configuration, request);
      return [made.schedulerName, made];
    }),
  );
}

/** Resources that only extenders manage. */
function leavingToExtenders(
  profile: ProfileConfiguration,
  extenders: readonly ExtenderConfiguration[],
): ProfileConfiguration {
  const ignored = extenders.flatMap(({ managedResources = [] }) =>
    managedResources.filter(({ ignoredByScheduler }) => ignoredByScheduler).map(({ name }) => name),
  );
  if (ignored.length === 0) return profile;
  const { pluginConfig = [] } = profile;
  // The arguments have been validated to have the type that the plugin expects.
  const args = pluginConfig.find(({ name }) => name === fit)?.args as Partial<PluginArguments[typeof fit]> | undefined;
  const ignoredResources = [...(args?.ignoredResources ?? []), ...ignored];
  const others = pluginConfig.filter(({ name }) => name !== fit);
  return { ...profile, pluginConfig: [...others, { name: fit, args: { ...args, ignoredResources } }] };
}

const fit = 'NodeResourcesFit';

function profileOf(
  { schedulerName = defaultSchedulerName, plugins = {}, pluginConfig = [], ...own }: ProfileConfiguration,
  { percentageOfNodesToScore }: CompleteConfiguration,
  { handle, extraPlugins, recorderFor, measuring }: ProfileRequest,
): SchedulerProfile {
  // Plugins read their own dependencies.
  const args = Object.fromEntries(pluginConfig.map((one) => [one.name, one.args])) as Partial<PluginArguments>;
  const registry = inTreePlugins(
    handle(() => made),
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
    ...measured(expandPlugins({ ...plugins, multiPoint }, registry), measuring?.(schedulerName)),
    schedulerName,
    recorder: recorderFor(schedulerName),
    percentageOfNodesToScore: own.percentageOfNodesToScore ?? percentageOfNodesToScore,
  };
  return made;
}

/** Every this many attempts, plugins are measured: measuring takes more time than most plugins. */
const attemptsPerSample = 10;

function measured(plain: Profile, measuring: Measuring | undefined): Profile & Pick<SchedulerProfile, 'takesSample'> {
  if (!measuring) return plain;
  const profile = { ...plain, measuring };
  let attempts = 0;
  return {
    ...profile,
    sampled: withMeasuredPlugins(profile, measuring),
    takesSample: () => attempts++ % attemptsPerSample === 0,
  };
}

/** Behind feature gates in upstream; without the APIs that these enable the plugin has no effect. */
const onDemand = [{ name: 'GangScheduling' }, { name: 'NodeDeclaredFeatures' }];

function withExtra(extraPlugins: readonly ProfileEntry[]): PluginSet {
  const extra = extraPlugins.map(({ plugin, weight }) => ({ name: plugin.name, ...(weight && { weight }) }));
  return { enabled: [...(defaultPluginSet.enabled ?? []), ...onDemand, ...extra] };
}
