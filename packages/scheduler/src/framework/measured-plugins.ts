import {
  type MeasuredPoint,
  type Measuring,
  type PointStatus,
  statusOfVerdict,
  succeeded,
  type Timing,
  timed,
  timedAsync,
  timedEither,
} from './measuring.js';
import type { Permission, Plugin, PostFilterResult, PreFilterResult } from './plugin.js';
import type { Profile } from './profile.js';
import type { Verdict } from './verdict.js';

/**
 * The same profile with every plugin measured. Plugins for single nodes are called thousands of times in an attempt:
 * for most nodes `plain` is used.
 */
export function withMeasuredPlugins(profile: Profile, measuring: Measuring): Profile {
  const as = <T>(
    { name }: Plugin,
    point: MeasuredPoint,
    statusOf: (result: T) => PointStatus = succeeded,
  ): Timing<T> => ({
    now: measuring.now,
    report: (status, ms) => measuring.plugin(name, point, status, ms),
    statusOf,
  });
  return { ...profile, ...placing(profile, as), ...binding(profile, as), plain: profile };
}

type TimingOf = <T>(plugin: Plugin, point: MeasuredPoint, statusOf?: (result: T) => PointStatus) => Timing<T>;

/** Members that are not measured are called on the plugin itself, which may be a class instance. */
function placing(
  { preFilter, filter, preScore, score }: Profile,
  as: TimingOf,
): Pick<Profile, 'preFilter' | 'filter' | 'preScore' | 'score'> {
  return {
    preFilter: preFilter.map((plugin) => {
      const timing = as<PreFilterResult>(plugin, 'PreFilter', statusOfVerdict);
      return {
        name: plugin.name,
        preFilter: (...args) => timed(timing, () => plugin.preFilter(...args)),
        ...(plugin.addPod && { addPod: (...args) => plugin.addPod?.(...args) }),
        ...(plugin.removePod && { removePod: (...args) => plugin.removePod?.(...args) }),
      };
    }),
    filter: filter.map((plugin) => {
      const timing = as<Verdict>(plugin, 'Filter', statusOfVerdict);
      return { name: plugin.name, filter: (...args) => timed(timing, () => plugin.filter(...args)) };
    }),
    preScore: preScore.map((plugin) => {
      const timing = as(plugin, 'PreScore', (result: 'skip' | undefined) => (result ? 'Skip' : 'Success'));
      return { name: plugin.name, preScore: (...args) => timed(timing, () => plugin.preScore(...args)) };
    }),
    score: score.map(({ plugin, weight }) => {
      const [timing, normalizing] = [as<number>(plugin, 'Score'), as<void>(plugin, 'ScoreExtensionNormalize')];
      return {
        weight,
        plugin: {
          name: plugin.name,
          score: (...args) => timed(timing, () => plugin.score(...args)),
          ...(plugin.normalize && {
            normalize: (...args) => timed(normalizing, () => plugin.normalize?.(...args)),
          }),
        },
      };
    }),
  };
}

function binding(
  { postFilter, reserve, permit, preBind, bind, postBind }: Profile,
  as: TimingOf,
): Pick<Profile, 'postFilter' | 'reserve' | 'permit' | 'preBind' | 'bind' | 'postBind'> {
  return {
    postFilter: postFilter.map((plugin) => {
      const timing = as(plugin, 'PostFilter', statusOfPostFilter);
      return { name: plugin.name, postFilter: (...args) => timedAsync(timing, () => plugin.postFilter(...args)) };
    }),
    reserve: reserve.map((plugin) => {
      const [timing, undoing] = [as<Verdict>(plugin, 'Reserve', statusOfVerdict), as<void>(plugin, 'Unreserve')];
      return {
        name: plugin.name,
        reserve: (...args) => timedEither(timing, () => plugin.reserve(...args)),
        unreserve: (...args) => timed(undoing, () => plugin.unreserve(...args)),
      };
    }),
    permit: permit.map((plugin) => {
      const timing = as(plugin, 'Permit', statusOfPermission);
      return { name: plugin.name, permit: (...args) => timedAsync(timing, () => plugin.permit(...args)) };
    }),
    preBind: preBind.map((plugin) => {
      const timing = as<void>(plugin, 'PreBind');
      return {
        name: plugin.name,
        preBind: (...args) => timedAsync(timing, () => plugin.preBind(...args)),
        ...(plugin.hasPreBindWork && { hasPreBindWork: (...args) => plugin.hasPreBindWork?.(...args) ?? true }),
      };
    }),
    bind: bind.map((plugin) => {
      const timing = as(plugin, 'Bind', (result: 'bound' | 'skip') => (result === 'skip' ? 'Skip' : 'Success'));
      return { name: plugin.name, bind: (...args) => timedAsync(timing, () => plugin.bind(...args)) };
    }),
    postBind: postBind.map((plugin) => {
      const timing = as<void>(plugin, 'PostBind');
      return { name: plugin.name, postBind: (...args) => timed(timing, () => plugin.postBind(...args)) };
    }),
  };
}

export function statusOfPostFilter({ nominatedNode }: PostFilterResult): PointStatus {
  return nominatedNode ? 'Success' : 'Unschedulable';
}

const permissions: Readonly<Record<Permission['kind'], PointStatus>> = {
  allow: 'Success',
  wait: 'Wait',
  reject: 'Unschedulable',
};

function statusOfPermission({ kind }: Permission): PointStatus {
  return permissions[kind];
}
