import type { Plugin, QueueSortPlugin, ScorePlugin } from './plugin.js';
import type { Profile, ProfileEntry } from './profile.js';

/**
 * A profile of these plugins, each at every extension point that it implements. Unlike a configured one, it need not
 * have a bind plugin.
 */
export function makeProfile(entries: readonly ProfileEntry[]): Profile {
  const plugins = entries.map(({ plugin }) => plugin);
  const having = <P extends Plugin>(point: string) => plugins.filter((plugin) => point in plugin) as P[];
  const [queueSort] = having<QueueSortPlugin>('compare');
  if (!queueSort) throw new Error('no plugin sorts the queue');
  return {
    plugins,
    preEnqueue: having('preEnqueue'),
    queueSort,
    preFilter: having('preFilter'),
    filter: having('filter'),
    postFilter: having('postFilter'),
    preScore: having('preScore'),
    score: entries
      .filter(({ plugin }) => 'score' in plugin)
      .map(({ plugin, weight = 1 }) => ({ plugin: plugin as ScorePlugin, weight })),
    reserve: having('reserve'),
    permit: having('permit'),
    preBind: having('preBind'),
    bind: having('bind'),
    postBind: having('postBind'),
  };
}
