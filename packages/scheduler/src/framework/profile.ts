import type { PodInfo } from '../cache/pod-info.js';
import type { ClusterEvent } from '../queue/cluster-event.js';
import { type EventKey, eventKeys } from '../queue/waiting-index.js';
import type { Measuring } from './measuring.js';
import type {
  BindPlugin,
  FilterPlugin,
  PermitPlugin,
  Plugin,
  PostBindPlugin,
  PostFilterPlugin,
  PreBindPlugin,
  PreEnqueuePlugin,
  PreFilterPlugin,
  PreScorePlugin,
  QueueSortPlugin,
  ReservePlugin,
  ScorePlugin,
} from './plugin.js';

/** The plugins of a scheduler by extension point, each list in order. */
export interface Profile {
  readonly plugins: readonly Plugin[];
  readonly preEnqueue: readonly PreEnqueuePlugin[];
  readonly queueSort: QueueSortPlugin;
  readonly preFilter: readonly PreFilterPlugin[];
  readonly filter: readonly FilterPlugin[];
  readonly postFilter: readonly PostFilterPlugin[];
  readonly preScore: readonly PreScorePlugin[];
  readonly score: readonly { readonly plugin: ScorePlugin; readonly weight: number }[];
  readonly reserve: readonly ReservePlugin[];
  readonly permit: readonly PermitPlugin[];
  readonly preBind: readonly PreBindPlugin[];
  readonly bind: readonly BindPlugin[];
  readonly postBind: readonly PostBindPlugin[];
  /** Plugins are not measured without it. */
  readonly measuring?: Measuring;
  /** The same profile with every plugin measured, for some of the attempts. */
  readonly sampled?: Profile;
  /** Of `sampled`: the same plugins unmeasured, for most of the nodes. */
  readonly plain?: Profile;
}

/** The profile for one attempt. */
export function profileIn({ isSampled }: { readonly isSampled: boolean }, profile: Profile): Profile {
  return isSampled ? (profile.sampled ?? profile) : profile;
}

/** In a measured attempt, one node in this many is measured. */
const nodesPerSample = 10;

export function isSampledNode(index: number): boolean {
  return index % nodesPerSample === 0;
}

export interface ProfileEntry {
  readonly plugin: Plugin;
  /** The weight of its score; 1 by default. */
  readonly weight?: number;
}

/** Represents all extenders in the set of plugins that rejected a pod. */
export const extenderName = 'Extender';

/** Whether an event concerns any of the plugins that rejected a pod. */
export function mayHelp(
  profile: Profile,
  event: ClusterEvent,
  { info, refusedBy }: { readonly info: PodInfo; readonly refusedBy: ReadonlySet<string> },
): boolean {
  // The dependencies of extenders are unknown.
  if (refusedBy.has(extenderName)) return true;
  const hints = hintsOf(profile);
  for (const name of refusedBy) {
    const wakesOn = hints.get(name);
    if (wakesOn === 'any') return true;
    if (wakesOn?.get(event.kind)?.some((helps) => helps(event, info))) return true;
  }
  return false;
}

/** The events that concern any of the plugins that rejected a pod; `undefined` for all events. */
export function eventsFor(
  profile: Profile,
  { info, refusedBy }: { readonly info: PodInfo; readonly refusedBy: ReadonlySet<string> },
): Set<EventKey> | undefined {
  if (refusedBy.has(extenderName)) return undefined;
  const keys = new Set<EventKey>();
  for (const { name, wakesOn } of profile.plugins) {
    if (!refusedBy.has(name)) continue;
    if (!wakesOn) return undefined;
    for (const { event, resources, subjects } of wakesOn)
      for (const key of eventKeys(event, resources, subjects?.(info))) keys.add(key);
  }
  return keys;
}

type Helps = (event: ClusterEvent, pod: PodInfo) => boolean;
/** By plugin: the events that may help, or `any`. */
type Hints = ReadonlyMap<string, ReadonlyMap<ClusterEvent['kind'], readonly Helps[]> | 'any'>;

/** Every event is matched with every waiting pod, so the registered events are indexed once. */
const hintsByProfile = new WeakMap<Profile, Hints>();

function hintsOf(profile: Profile): Hints {
  let hints = hintsByProfile.get(profile);
  if (!hints) {
    hints = new Map(profile.plugins.map(({ name, wakesOn }) => [name, wakesOn ? byEvent(wakesOn) : 'any']));
    hintsByProfile.set(profile, hints);
  }
  return hints;
}

function byEvent(wakesOn: NonNullable<Plugin['wakesOn']>): ReadonlyMap<ClusterEvent['kind'], readonly Helps[]> {
  const sorted = new Map<ClusterEvent['kind'], Helps[]>();
  for (const { event, resources, helps = () => true } of wakesOn) {
    const concerns: Helps = (one, pod) =>
      (!resources || (one.kind === 'other' && resources.includes(one.resource))) && helps(one, pod);
    sorted.set(event, [...(sorted.get(event) ?? []), resources ? concerns : helps]);
  }
  return sorted;
}
