import { describe, expect, test } from 'vitest';
import { MetricHistory } from '../data/metric-history.js';
import { chartOf, marksOf, sampleOf, sumOf, withSample } from './metric-series.js';

const timestamp = '2026-01-01T00:00:10Z';
const at = Date.parse(timestamp);

test.each([
  ['a node', { timestamp, usage: { cpu: '250m', memory: '1Ki' } }, { at, cpu: 0.25, memory: 1024 }],
  [
    'a pod: all its containers',
    {
      timestamp,
      containers: [
        { name: 'a', usage: { cpu: '1', memory: '1' } },
        { name: 'b', usage: { cpu: '500m' } },
      ],
    },
    { at, cpu: 1.5, memory: 1 },
  ],
  ['what has no time', { usage: { cpu: '1' } }, undefined],
])('samples %s', (_, measured, expected) => {
  expect(sampleOf(measured)).toEqual(expected);
});

test('the usage of several pods is their sum', () => {
  expect(sumOf([])).toBeUndefined();
  expect(
    sumOf([
      { at: 1, cpu: 1, memory: 10 },
      { at: 3, cpu: 2, memory: 5 },
    ]),
  ).toEqual({ at: 3, cpu: 3, memory: 15 });
});

test('a series grows by new samples, and drops those older than half an hour', () => {
  const sample = (seconds: number) => ({ at: seconds * 1000, cpu: 1, memory: 1 });
  const one = withSample([], sample(0));
  expect(withSample(one, sample(0))).toBe(one);
  expect(withSample(one, sample(15)).map((each) => each.at)).toEqual([0, 15_000]);
  expect(withSample(one, sample(1800)).map((each) => each.at)).toEqual([1_800_000]);
});

test('a history drops the oldest entries', () => {
  const history = new MetricHistory();
  for (let i = 0; i < 250; i++) {
    history.add('kept', { at: i, cpu: 0, memory: 0 });
    history.add(`pods/${i}`, { at: i, cpu: 0, memory: 0 });
  }
  expect([history.of('pods/0').length, history.of('pods/249').length, history.of('kept').length]).toEqual([0, 1, 250]);
});

describe('a chart', () => {
  const size = { width: 100, height: 52 };
  test('reaches from edge to edge, and from zero to the greatest value', () => {
    const { line, area } = chartOf(
      [
        { at: 0, value: 0 },
        { at: 50, value: 10 },
        { at: 100, value: 5 },
      ],
      [],
      size,
    );
    expect(line).toBe('M0,51 L50,1 L100,26');
    expect(area).toBe('M0,51 L50,1 L100,26 L100,52 L0,52 Z');
  });
  test('leaves room for its marks', () => {
    expect(chartOf([{ at: 0, value: 5 }], [10], size).line).toBe('M0,26 L100,26');
  });
  test('without samples is empty, and of zeros is at the bottom', () => {
    expect(chartOf([], [], size).line).toBe('');
    expect(chartOf([{ at: 0, value: 0 }], [], size).line).toBe('M0,51 L100,51');
  });
});

test.each([
  ['nothing', [{}], { request: undefined, limit: undefined }],
  [
    'requests of all, and no limit where one container has none',
    [{ resources: { requests: { cpu: '100m' }, limits: { cpu: '1' } } }, { resources: { requests: { cpu: '1' } } }],
    { request: 1.1, limit: undefined },
  ],
  [
    'the sum of limits',
    [{ resources: { limits: { cpu: '1' } } }, { resources: { limits: { cpu: '2' } } }],
    { request: undefined, limit: 3 },
  ],
])('marks %s', (_, containers, expected) => {
  expect(marksOf(containers, 'cpu')).toEqual(expected);
});
