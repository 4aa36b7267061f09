import { expect, test } from 'vitest';
import { RecentSpecs } from './recent-specs.js';

const pod = (spec?: unknown) => ({ metadata: {}, ...(spec !== undefined && { spec }) });

test('objects with equal specs share one', () => {
  const specs = new RecentSpecs();
  const first = pod({ a: { b: 1 } });
  specs.add(first);
  const next = pod({ a: { b: 1 } });
  specs.share(next);
  expect((next as { spec?: unknown }).spec).toBe((first as { spec?: unknown }).spec);
});

test('objects with other specs keep their own', () => {
  const specs = new RecentSpecs();
  specs.add(pod({ a: 1 }));
  for (const spec of [{ a: 2 }, { a: 1, b: 1 }, {}, null, 'a']) {
    const object = pod(spec);
    specs.share(object);
    expect((object as { spec?: unknown }).spec).toBe(spec);
  }
});

test('keeps only the last few', () => {
  const specs = new RecentSpecs();
  const three = [{ a: 1 }, { a: 2 }, { a: 3 }];
  for (const spec of three) specs.add(pod(spec));
  const shared = three.map((spec) => {
    const object = pod({ ...spec });
    specs.share(object);
    return (object as { spec?: unknown }).spec === spec;
  });
  expect(shared).toEqual([false, true, true]);
});

test('objects without a spec are unchanged', () => {
  const specs = new RecentSpecs();
  specs.add(pod());
  const object = pod();
  specs.share(object);
  expect(object).toEqual({ metadata: {} });
});
