import type { Connection } from '@coracle/client';
import { describe, expect, test } from 'vitest';
import { memoryHost } from '../command/memory-host.fixture.js';
import type { TransportRequest } from '../host.js';
import { runKubectl } from '../run/run-kubectl.js';

const account: Connection = {
  server: 'https://10.96.0.1:443',
  certificateAuthority: { file: '/ca.crt' },
  credentials: { tokenFile: '/token' },
  namespace: 'own',
};

/** Runs a command in a pod; returns the connection that it would have used, and its output. */
async function inPod(words: readonly string[], files: Record<string, string> = {}) {
  const requests: TransportRequest[] = [];
  const host = memoryHost(files);
  await runKubectl(words, {
    ...host,
    inCluster: async () => account,
    connect: async (request) => {
      requests.push(request);
      return {
        exchange: async () => {
          throw new Error('no network');
        },
      };
    },
  });
  return { connection: requests[0]?.connection, err: host.err() };
}

describe('in a pod', () => {
  test('the service account is used, and -v=6 logs it', async () => {
    const { connection, err } = await inPod(['get', 'pods', '-v=6']);
    expect(connection).toEqual(account);
    expect(err).toContain('Using in-cluster namespace');
    expect(err).toContain('Using in-cluster configuration');
  });

  test('nothing is logged without -v', async () => {
    expect((await inPod(['get', 'pods'])).err).not.toContain('in-cluster');
  });

  test.each([
    { flags: ['--token=other'], expected: { credentials: { token: 'other' } } },
    { flags: ['--certificate-authority=/other.crt'], expected: { certificateAuthority: { file: '/other.crt' } } },
    { flags: ['--as=jane'], expected: { impersonate: { user: 'jane' }, credentials: { tokenFile: '/token' } } },
    { flags: ['--insecure-skip-tls-verify'], expected: { insecureSkipTlsVerify: true } },
  ])('$flags goes before what the pod has', async ({ flags, expected }) => {
    const { connection } = await inPod(['get', 'pods', ...flags]);
    expect(connection).toMatchObject({ server: account.server, ...expected });
  });

  test('a namespace of the command line is not the pod', async () => {
    const { err } = await inPod(['get', 'pods', '--namespace=other', '-v=6']);
    expect(err).not.toContain('Using in-cluster namespace');
    expect(err).toContain('Using in-cluster configuration');
  });

  test('a kubeconfig goes before it', async () => {
    const config = JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://c.test' } }],
      contexts: [{ name: 'x', context: { cluster: 'c' } }],
      'current-context': 'x',
    });
    const { connection, err } = await inPod(['get', 'pods', '-v=6'], { '/home/.kube/config': config });
    expect(connection?.server).toBe('https://c.test');
    expect(err).not.toContain('in-cluster');
  });
});
