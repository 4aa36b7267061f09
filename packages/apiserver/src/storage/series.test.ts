import { expect, test } from 'vitest';
import { Series } from './series.js';

const pod = (spec?: unknown) => ({ metadata: {}, ...(spec !== undefined && { spec }) });

test('objects that say the same get the very same spec', () => {
  const series = new Series();
  const first = pod({ a: { b: 1 } });
  series.add(first);
  const next = pod({ a: { b: 1 } });
  series.share(next);
  expect((next as { spec?: unknown }).spec).toBe((first as { spec?: unknown }).spec);
});

test('objects that say something else keep their own', () => {
  const series = new Series();
  series.add(pod({ a: 1 }));
  for (const spec of [{ a: 2 }, { a: 1, b: 1 }, {}, null, 'a']) {
    const object = pod(spec);
    series.share(object);
    expect((object as { spec?: unknown }).spec).toBe(spec);
  }
});

test('remembers only the last few', () => {
  const series = new Series();
  const specs = [{ a: 1 }, { a: 2 }, { a: 3 }];
  for (const spec of specs) series.add(pod(spec));
  const shared = specs.map((spec) => {
    const object = pod({ ...spec });
    series.share(object);
    return (object as { spec?: unknown }).spec === spec;
  });
  expect(shared).toEqual([false, true, true]);
});

test('objects without a spec are no series', () => {
  const series = new Series();
  series.add(pod());
  const object = pod();
  series.share(object);
  expect(object).toEqual({ metadata: {} });
});
