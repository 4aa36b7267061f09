import { expect, test } from 'vitest';
import type { Authenticated } from './authenticator.js';
import { authenticateToken, badToken, type TokenAuthenticator } from './bearer-token.js';

const good: Authenticated = { user: { name: 'ann', groups: [] } };
const kind = (answer: () => Authenticated | undefined | Promise<Authenticated | undefined>): TokenAuthenticator => ({
  name: 'test',
  authenticateToken: answer,
});
const refuses = (why: string) =>
  kind(() => {
    throw badToken(why);
  });
const rejects = (why: string) => kind(() => Promise.reject(badToken(why)));
const knows = kind(() => good);
const unknown = kind(() => undefined);

test.each([
  ['at once', refuses('a')],
  ['later', rejects('a')],
])('a token that one authenticator rejects %s is valid if another accepts it', async (_when, refusing) => {
  expect(await authenticateToken([refusing, unknown, knows], 'token')).toBe(good);
});

test.each([
  [refuses('first'), rejects('second')],
  [rejects('first'), refuses('second')],
])('a token that all reject is rejected with the first reason', async (...kinds) => {
  const outcome = (async () => await authenticateToken([unknown, ...kinds], 'token'))();
  await expect(outcome).rejects.toMatchObject({ cause: 'first' });
});

test('one that no authenticator recognises is rejected', () => {
  expect(() => authenticateToken([unknown], 'token')).toThrow('Unauthorized');
});
