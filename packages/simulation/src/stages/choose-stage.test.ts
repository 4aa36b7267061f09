import type { Random } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { chooseStage, delayOf, matchingStages } from './choose-stage.js';
import { parseStages } from './parse-stages.js';

/** A random source with one value. */
const always = (value: number): Random => ({ next: () => value }) as Random;

function stage(name: string, spec: object) {
  const full = { resourceRef: { kind: 'Pod' }, selector: {}, next: {}, ...spec };
  const object = { apiVersion: 'kwok.x-k8s.io/v1alpha1', kind: 'Stage', metadata: { name }, spec: full };
  const [parsed] = parseStages(JSON.stringify(object), 'x.yaml');
  if (!parsed) throw new Error('no stage was read');
  return parsed;
}

const pod = {
  metadata: { labels: { app: 'web' }, annotations: { delay: '5s', until: '2026-01-01T00:00:10Z', weight: '8' } },
  status: { phase: 'Running' },
};
const now = Date.parse('2026-01-01T00:00:00Z');

describe('selectors', () => {
  const requirement = (key: string, operator: string, ...values: string[]) => ({
    selector: { matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }] },
  });
  test.each([
    ['none', { selector: null }, false],
    ['an empty one', { selector: {} }, true],
    ['labels', { selector: { matchLabels: { app: 'web' } } }, true],
    ['other labels', { selector: { matchLabels: { app: 'db' } } }, false],
    ['annotations', { selector: { matchAnnotations: { delay: '5s' } } }, true],
    ['In', requirement('.status.phase', 'In', 'Running', 'Failed'), true],
    ['In without the value', requirement('.status.phase', 'In', 'Failed'), false],
    ['In of what is not there', requirement('.status.absent', 'In', 'null'), false],
    ['NotIn', requirement('.status.phase', 'NotIn', 'Running'), false],
    ['NotIn of what is not there', requirement('.status.absent', 'NotIn', 'x'), true],
    ['Exists', requirement('.status.phase', 'Exists'), true],
    ['DoesNotExist', requirement('.status.podIP', 'DoesNotExist'), true],
    [
      'the form with jq',
      { selector: { matchExpressions: [{ jq: { key: '.status.phase', operator: 'Exists' } }] } },
      true,
    ],
  ])('%s', (_, spec, matches) => {
    expect(matchingStages([stage('s', spec)], pod).length === 1).toBe(matches);
  });
});

describe('of several stages', () => {
  const named = (random: number, ...specs: object[]) =>
    chooseStage(
      specs.map((spec, i) => stage(String(i), spec)),
      pod,
      always(random),
    )?.name;
  test('the choice is random where none has a weight', () => {
    expect([named(0, {}, {}), named(0.9, {}, {})]).toEqual(['0', '1']);
  });
  test('weights count, and one without any is not chosen beside others', () => {
    expect([named(0, { weight: 1 }, { weight: 3 }), named(0.3, { weight: 1 }, { weight: 3 })]).toEqual(['0', '1']);
    expect(named(0, { weight: 0 }, { weight: 1 })).toBe('1');
  });
  test('the weight may be computed from the object', () => {
    const weightFrom = { expressionFrom: '.metadata.annotations["weight"]' };
    expect(named(0.5, { weight: 1, weightFrom }, { weight: 4 })).toBe('0');
  });
  test('there may be none', () => {
    expect(named(0)).toBeUndefined();
  });
});

describe('delays', () => {
  const from = (name: string) => ({ expressionFrom: `.metadata.annotations["${name}"]` });
  test.each([
    ['none', undefined, 0],
    ['milliseconds', { durationMilliseconds: 1000 }, 1000],
    ['between two', { durationMilliseconds: 1000, jitterDurationMilliseconds: 5000 }, 3000],
    ['a jitter below the delay', { durationMilliseconds: 5000, jitterDurationMilliseconds: 1000 }, 1000],
    ['a duration of the object', { durationMilliseconds: 1, durationFrom: from('delay') }, 5000],
    ['a time of the object', { durationFrom: from('until') }, 10_000],
    ['what the object does not say', { durationMilliseconds: 7, durationFrom: from('absent') }, 7],
    ['the form with jq', { durationFrom: { jq: { expression: '.metadata.annotations["delay"]' } } }, 5000],
  ])('%s', (_, delay, expected) => {
    expect(delayOf(stage('s', delay ? { delay } : {}), pod, { now, random: always(0.5) })).toBe(expected);
  });
});
