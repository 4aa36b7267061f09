import { describe, expect, test } from 'vitest';
import type { Plugin } from '../framework/plugin.js';
import { fits } from '../framework/verdict.js';
import { expandPlugins, mergePluginSets } from './expand-plugins.js';
import type { PluginsConfiguration } from './scheduler-configuration.js';

/** Plugins that implement the extension points in their names. */
const plugins: readonly (Plugin & Record<string, unknown>)[] = [
  { name: 'Sort', compare: () => 0 },
  { name: 'OtherSort', compare: () => 0 },
  { name: 'Bind', bind: async () => 'bound' },
  { name: 'A', filter: () => fits, score: () => 0 },
  { name: 'B', filter: () => fits, score: () => 0 },
  { name: 'C', filter: () => fits },
];
const registry = new Map(plugins.map((plugin) => [plugin.name, plugin as Plugin]));
const named = (...names: string[]) => names.map((name) => ({ name }));

function expanded(config: PluginsConfiguration) {
  const multiPoint = mergePluginSets({ enabled: named('Sort', 'A', 'B', 'Bind') }, config.multiPoint);
  const { filter, score, queueSort } = expandPlugins({ ...config, multiPoint }, registry);
  return {
    sort: queueSort.name,
    filter: filter.map(({ name }) => name),
    score: score.map(({ plugin, weight }) => `${plugin.name}×${weight}`),
  };
}

describe('the plugins of a profile', () => {
  test.each<[string, PluginsConfiguration, Partial<ReturnType<typeof expanded>>]>([
    ['SCH-41 are the default ones', {}, { sort: 'Sort', filter: ['A', 'B'], score: ['A×1', 'B×1'] }],
    [
      'SCH-25b come after the default ones if they are added for all points',
      { multiPoint: { enabled: named('C') } },
      { filter: ['A', 'B', 'C'] },
    ],
    [
      'SCH-25b leave out what is disabled everywhere',
      { multiPoint: { disabled: named('A') } },
      { filter: ['B'], score: ['B×1'] },
    ],
    [
      'SCH-25b are only those that are named once all default ones are disabled',
      { multiPoint: { disabled: named('*'), enabled: named('OtherSort', 'C', 'Bind') } },
      { sort: 'OtherSort', filter: ['C'], score: [] },
    ],
    [
      'SCH-43 are asked first at a point for which they are named',
      { filter: { enabled: named('C', 'B') } },
      { filter: ['B', 'C', 'A'], score: ['A×1', 'B×1'] },
    ],
    [
      'leave out what is disabled at a point',
      { score: { disabled: named('A') } },
      { filter: ['A', 'B'], score: ['B×1'] },
    ],
    ['leave out all that are disabled at a point', { score: { disabled: named('*') } }, { score: [] }],
    [
      'SCH-47 have the configured weights',
      { score: { disabled: named('B'), enabled: [{ name: 'B', weight: 5 }] } },
      { score: ['B×5', 'A×1'] },
    ],
    [
      'SCH-47 keep the place of a default one whose weight they change',
      { multiPoint: { enabled: [{ name: 'A', weight: 9 }] } },
      { score: ['A×9', 'B×1'] },
    ],
    [
      'SCH-25b may sort the queue in another way',
      { queueSort: { enabled: named('OtherSort'), disabled: named('*') } },
      { sort: 'OtherSort' },
    ],
  ])('%s', (_, config, expected) => {
    expect(expanded(config)).toMatchObject(expected);
  });

  test.each<[PluginsConfiguration, string]>([
    [{ filter: { enabled: named('Nothing') } }, 'plugin "Nothing" does not exist'],
    [{ multiPoint: { enabled: named('Nothing') } }, 'plugin "Nothing" does not exist'],
    [{ score: { enabled: named('C') } }, 'plugin "C" does not extend score plugin'],
    [{ filter: { enabled: named('C', 'C') } }, 'plugin "C" already registered as "filter"'],
    [{ queueSort: { enabled: named('OtherSort') } }, 'one plugin must sort the queue, not 2'],
    [{ queueSort: { disabled: named('*') } }, 'one plugin must sort the queue, not 0'],
    [{ bind: { disabled: named('*') } }, 'at least one bind plugin is needed'],
  ])('SCH-25 SCH-25b %j is refused', (config, problem) => {
    expect(() => expanded(config)).toThrow(problem);
  });
});
