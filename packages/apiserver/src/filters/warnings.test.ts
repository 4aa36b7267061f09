import { expect, test } from 'vitest';
import type { RequestContext } from '../handler-chain.js';
import { warnings } from './warnings.js';

async function sent(messages: readonly string[]): Promise<unknown> {
  const handler = warnings(async () => ({ status: 200, headers: {}, body: { kind: 'value', value: {} } }));
  const context: Pick<RequestContext, 'warnings'> = { warnings: [...messages] };
  return (await handler(context as RequestContext)).headers['warning'];
}

test('quotes are escaped', async () => {
  expect(await sent(['say "no" \\'])).toEqual(['299 - "say \\"no\\" \\\\"']);
});

test('a warning with a line break is not sent', async () => {
  expect(await sent(['a\nb', 'c'])).toEqual(['299 - "c"']);
  expect(await sent(['a\nb'])).toBeUndefined();
});

test('long warnings are sent whole while there are few', async () => {
  expect(await sent(['é'.repeat(4096)])).toEqual([`299 - "${'é'.repeat(4096)}"`]);
});

test('many long warnings are shortened, and the last ones left out', async () => {
  const all = await sent(Array.from({ length: 20 }, () => 'x'.repeat(300)));
  expect(all).toEqual(Array(16).fill(`299 - "${'x'.repeat(256)}"`));
});
