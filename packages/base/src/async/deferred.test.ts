import { expect, test } from 'vitest';
import { Deferred } from './deferred.js';

test('resolves from outside, once', async () => {
  const deferred = new Deferred<number>();
  deferred.resolve(1);
  deferred.resolve(2);
  expect(await deferred.promise).toBe(1);
});

test('rejects from outside', async () => {
  const deferred = new Deferred<number>();
  deferred.reject(new Error('no'));
  await expect(deferred.promise).rejects.toThrow('no');
});
