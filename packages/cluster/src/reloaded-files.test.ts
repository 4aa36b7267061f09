import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DisposableStack, silentLogger } from '@coracle/base';
import { afterAll, expect, test, vi } from 'vitest';
import { reloadedTokens } from './static-tokens.js';
import { currentTarget } from './webhook-target.js';

const folder = mkdtempSync(join(tmpdir(), 'coracle-reload-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const patient = { timeout: 30_000, interval: 10 };

test('the file of static tokens is read again when it changes, and an invalid one changes nothing', async () => {
  await using parts = new DisposableStack();
  const file = join(folder, 'tokens.csv');
  const first = 'old,jane,1\n';
  writeFileSync(file, first);
  const tokens = reloadedTokens(file, first, { logger: silentLogger, parts, periodMs: 5 });
  const userOf = async (token: string) => (await tokens.authenticateToken(token))?.user.name;
  expect([await userOf('old'), await userOf('new')]).toEqual(['jane', undefined]);
  writeFileSync(file, 'new,jane,1\n');
  await vi.waitFor(
    async () => expect([await userOf('old'), await userOf('new')]).toEqual([undefined, 'jane']),
    patient,
  );
  writeFileSync(file, 'one-field-alone\n');
  writeFileSync(file, 'newest,joe,2\n');
  await vi.waitFor(async () => expect(await userOf('newest')).toBe('joe'), patient);
});

const kubeconfig = (port: number, token: string) => `
apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: "https://127.0.0.1:${port}" } }]
users: [{ name: u, user: { token: ${token} } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x
`;

test('the kubeconfig file of a webhook is read again when it changes', async () => {
  await using parts = new DisposableStack();
  const file = join(folder, 'webhook.kubeconfig');
  writeFileSync(file, kubeconfig(1, 'one'));
  const first = { url: 'https://127.0.0.1:1' };
  const target = currentTarget({ target: first, kubeconfig: file }, { logger: silentLogger, parts, periodMs: 5 });
  expect(target()).toBe(first);
  writeFileSync(file, kubeconfig(2, 'two'));
  await vi.waitFor(
    () => expect(target()).toMatchObject({ url: 'https://127.0.0.1:2', authorization: 'Bearer two' }),
    patient,
  );
});
