import { VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { fakeApi } from '../fake-api.fixture.js';
import { tokenRequester } from './request-token.js';

test('K13.6 a token is reused until four fifths of its lifetime have passed', async () => {
  const clock = new VirtualClock();
  let count = 0;
  const { client, requests } = fakeApi(() => ({ status: { token: `token-${++count}` } }));
  const request = tokenRequester(client, clock);
  const ask = (audience?: string) =>
    request(makePod(), { path: 'token', expirationSeconds: 1_000, ...(audience && { audience }) });
  expect(await ask()).toBe('token-1');
  await clock.advance(799_000);
  expect(await ask()).toBe('token-1');
  expect(await ask('vault')).toBe('token-2');
  await clock.advance(1_000);
  expect(await ask()).toBe('token-3');
  expect(requests[0]).toBe('POST /api/v1/namespaces/shop/serviceaccounts/seller/token');
});
