import { refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ listen: { host: '127.0.0.1', port: 0 }, clock: 'virtual', nodes: 0, seed: 1 });
  await cluster.settled();
});
afterEach(() => cluster.stop());

const accounts = () => cluster.client.resource(refs.serviceAccounts, 'default');
const secrets = () => cluster.client.resource(refs.secrets, 'default');

async function makeToken(): Promise<string> {
  await accounts().create({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'bot', namespace: 'default' },
  });
  await secrets().create({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: { name: 'bot', namespace: 'default', annotations: { 'kubernetes.io/service-account.name': 'bot' } },
  });
  await cluster.settled();
  return atob((await secrets().get('bot')).data?.['token'] ?? '');
}

/** The user that the server authenticates by a token, or the error. */
async function whoIs(token: string): Promise<string> {
  const { body } = await cluster.controlPlane.server.exchange({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    query: '',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: { kind: 'value', value: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' } },
  });
  const text = body.kind === 'bytes' ? new TextDecoder().decode(body.chunks[0]) : '{}';
  const { status, message } = JSON.parse(text);
  return status?.userInfo?.username ?? message;
}

describe('AUTHN-24 a secret for the token of a service account', () => {
  test('SA-03 SA-04 SA-05 is filled with a valid token', async () => {
    const token = await makeToken();
    const { data = {}, metadata } = await secrets().get('bot');
    const { metadata: account } = await accounts().get('bot');
    expect(atob(data['namespace'] ?? '')).toBe('default');
    expect(atob(data['ca.crt'] ?? '')).toContain('BEGIN CERTIFICATE');
    expect(metadata.annotations?.['kubernetes.io/service-account.uid']).toBe(account.uid);
    expect(await whoIs(token)).toBe('system:serviceaccount:default:bot');
  });

  test('reports when the token was last used', async () => {
    expect(await whoIs(await makeToken())).toBe('system:serviceaccount:default:bot');
    await cluster.settled();
    const today = new Date(cluster.clock.now()).toISOString().slice(0, 10);
    expect((await secrets().get('bot')).metadata.labels).toEqual({ 'kubernetes.io/legacy-token-last-used': today });
  });

  test('that is deleted has its tokens deleted', async () => {
    const token = await makeToken();
    await secrets().delete('bot');
    expect(await whoIs(token)).toBe('Unauthorized');
  });

  test('that is deleted is no longer listed by its account', async () => {
    await makeToken();
    await accounts().patch('bot', { secrets: [{ name: 'bot' }, { name: 'other' }] }, { type: 'merge' });
    await cluster.settled();
    await secrets().delete('bot');
    await cluster.settled();
    expect((await accounts().get('bot')).secrets).toEqual([{ name: 'other' }]);
  });

  test('that is marked as invalid is rejected', async () => {
    const token = await makeToken();
    const secret = await secrets().get('bot');
    const labels = { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' };
    await secrets().update({ ...secret, metadata: { ...secret.metadata, labels } });
    expect(await whoIs(token)).toBe('Unauthorized');
  });

  test('is deleted with its account', async () => {
    const token = await makeToken();
    await accounts().delete('bot');
    expect(await whoIs(token)).toBe('Unauthorized');
    await cluster.settled();
    expect((await secrets().list()).items.map(({ metadata }) => metadata.name)).not.toContain('bot');
  });

  test('of another account is rejected', async () => {
    const token = await makeToken();
    const [head, , signature] = token.split('.');
    const claims = { iss: 'kubernetes/serviceaccount', sub: 'system:serviceaccount:kube-system:root' };
    const forged = [head, btoa(JSON.stringify(claims)).replaceAll('=', ''), signature].join('.');
    expect(await whoIs(forged)).toBe('Unauthorized');
  });
});
