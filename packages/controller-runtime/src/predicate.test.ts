import type { KubeObject } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  labelsChanged,
  labelsMatch,
  not,
  objectMatches,
  type Predicate,
  predicateBy,
  resourceVersionChanged,
} from './predicate.js';
import { isRepetition, type SourceEvent } from './source-event.js';

const meta = (metadata: KubeObject['metadata']): KubeObject => ({ metadata });
const updated = (before: KubeObject['metadata'], after: KubeObject['metadata']): SourceEvent<KubeObject> => ({
  type: 'updated',
  previous: meta(before),
  object: meta(after),
});
const added: SourceEvent<KubeObject> = { type: 'added', object: meta({}), initial: false };
const yes: Predicate = () => true;
const no: Predicate = () => false;

describe('CR-7 a predicate', () => {
  test.each<[string, Predicate, SourceEvent<KubeObject>, boolean]>([
    ['of generations passes a new one', generationChanged, updated({ generation: 1 }, { generation: 2 }), true],
    [
      'of generations drops the same one',
      generationChanged,
      updated({ generation: 1 }, { generation: 1, labels: {} }),
      false,
    ],
    ['of generations passes what is no update', generationChanged, added, true],
    [
      'of versions drops a resync',
      resourceVersionChanged,
      updated({ resourceVersion: '1' }, { resourceVersion: '1' }),
      false,
    ],
    ['of labels passes other labels', labelsChanged, updated({ labels: { a: '1' } }, { labels: { a: '2' } }), true],
    ['of labels takes none for no labels', labelsChanged, updated({}, { labels: {} }), false],
    ['of annotations looks at these alone', annotationsChanged, updated({}, { labels: { a: '1' } }), false],
    [
      'by selector passes what matches',
      labelsMatch({ matchLabels: { a: '1' } }),
      updated({}, { labels: { a: '1' } }),
      true,
    ],
    [
      'by object sees the new one',
      objectMatches(({ metadata }) => metadata.name === 'x'),
      updated({ name: 'y' }, { name: 'x' }),
      true,
    ],
    ['by type asks the function of the type', predicateBy({ added: () => false }), added, false],
    ['by type passes types without a function', predicateBy({ deleted: () => false }), added, true],
    ['of all needs all', allOf(yes, no), added, false],
    ['of any needs one', anyOf(no, yes), added, true],
    ['may be turned around', not(yes), added, false],
  ])('%s', (_, predicate, event, passes) => {
    expect(predicate(event)).toBe(passes);
  });
});

test.each<[string, SourceEvent<KubeObject>, boolean]>([
  ['what was there at the start', { type: 'added', object: meta({}), initial: true }, true],
  ['what is new', added, false],
  ['a resync', updated({ resourceVersion: '1' }, { resourceVersion: '1' }), true],
  ['what has changed', updated({ resourceVersion: '1' }, { resourceVersion: '2' }), false],
])('whether it can wait: %s', (_, event, waits) => {
  expect(isRepetition(event)).toBe(waits);
});
