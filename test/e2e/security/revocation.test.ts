import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RunningCluster } from '../running-cluster.js';
import { TokenClient } from './token-client.js';

const folder = mkdtempSync(join(tmpdir(), 'coracle-revocation-'));
const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const asRoot = { token: 'root-token' };
const asJane = { token: 'jane-token' };
let cluster: RunningCluster;
let client: TokenClient;

beforeAll(async () => {
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, 'root-token,root,1,system:masters\njane-token,jane,2,dev\n');
  cluster = await RunningCluster.start({
    command: ['apiserver', '--bind-address', '127.0.0.1', '--secure-port', '0'],
    flags: ['--token-auth-file', tokens],
  });
  client = new TokenClient(cluster);
}, 120_000);
afterAll(async () => {
  client?.[Symbol.dispose]();
  await cluster?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const rule = { verbs: ['list'], apiGroups: [''], resources: ['configmaps'] };
const binding = {
  metadata: { name: 'jane' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
  subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }],
};
const statusForJane = async () => (await client.send('GET', '/api/v1/namespaces/default/configmaps', asJane)).status;

test('a rule that is removed from a role does not allow the next request', { timeout: 120_000 }, async () => {
  await client.must('POST', `${rbac}/roles`, { ...asRoot, body: { metadata: { name: 'reader' }, rules: [] } });
  await client.must('POST', `${rbac}/rolebindings`, { ...asRoot, body: binding });
  for (let round = 0; round < 50; round++) {
    await client.must('PUT', `${rbac}/roles/reader`, {
      ...asRoot,
      body: { metadata: { name: 'reader' }, rules: [rule] },
    });
    expect(await statusForJane()).toBe(200);
    await client.must('PUT', `${rbac}/roles/reader`, { ...asRoot, body: { metadata: { name: 'reader' }, rules: [] } });
    expect(await statusForJane()).toBe(403);
  }
});

test('nor does a binding that is deleted', { timeout: 120_000 }, async () => {
  await client.must('PUT', `${rbac}/roles/reader`, {
    ...asRoot,
    body: { metadata: { name: 'reader' }, rules: [rule] },
  });
  for (let round = 0; round < 20; round++) {
    expect(await statusForJane()).toBe(200);
    await client.must('DELETE', `${rbac}/rolebindings/jane`, asRoot);
    expect(await statusForJane()).toBe(403);
    await client.must('POST', `${rbac}/rolebindings`, { ...asRoot, body: binding });
  }
});

test('a token of a service account is invalid once the account is deleted', { timeout: 120_000 }, async () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await client.must('POST', accounts, { ...asRoot, body: { metadata: { name: 'robot' } } });
  const { body } = await client.must('POST', `${accounts}/robot/token`, { ...asRoot, body: { spec: {} } });
  const status = async () => (await client.send('GET', '/api', { token: body.status.token })).status;
  expect(await status()).toBe(200);
  await client.must('DELETE', `${accounts}/robot`, asRoot);
  expect(await status()).toBe(401);
});
