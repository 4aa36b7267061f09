import { StatusError } from '@coracle/apimachinery';
import { StoreError } from '@coracle/store';
import { expect, test } from 'vitest';
import { storeFailure } from './store-failure.js';

const pods = { group: '', resource: 'pods' };
const thrownBy = (error: unknown) => {
  const failure = storeFailure(error, pods, 'list');
  return StatusError.is(failure) ? [failure.status.code, failure.status.reason] : failure;
};

test.each([
  { code: 'Compacted', status: [410, 'Expired'] },
  { code: 'Unavailable', status: [500, 'ServerTimeout'] },
  { code: 'FutureRevision', status: [500, 'ServerTimeout'] },
  { code: 'TooLarge', status: [413, 'RequestEntityTooLarge'] },
  { code: 'Closed', status: [503, 'ServiceUnavailable'] },
  { code: 'LeaseNotFound', status: [500, 'InternalError'] },
  { code: 'NoSpace', status: [500, 'InternalError'] },
  { code: 'Corrupt', status: [500, 'InternalError'] },
] as const)('a store that fails with $code is answered with $status', ({ code, status }) => {
  expect(thrownBy(new StoreError(code, 'why'))).toEqual(status);
});

test('other failures than those of the store are passed on', () => {
  const bug = new TypeError('x');
  expect(thrownBy(bug)).toBe(bug);
});
