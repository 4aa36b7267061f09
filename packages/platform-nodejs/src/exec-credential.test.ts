import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { type ExecCredentialOptions, execCredentials } from './exec-credential.js';

const apiVersion = 'client.authentication.k8s.io/v1';

/** Runs Node.js as the credential plugin: it is present wherever this test runs. */
function ask(script: string, more: Partial<ExecCredentialOptions['exec']> = {}) {
  const exec = {
    apiVersion,
    command: process.execPath,
    args: ['-e', script],
    interactiveMode: 'Never',
    ...more,
  } as const;
  const source = execCredentials({
    exec,
    connection: { server: 'https://api.example:6443', tlsServerName: 'api', namespace: 'default', credentials: {} },
    certificateAuthority: 'PEM',
    clock: new VirtualClock(),
  });
  return source.current();
}

const answer = (token: string) =>
  `console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${apiVersion}', status: { token: ${token} } }))`;

describe('a credential plugin', () => {
  test('is run with the variables that it requests', async () => {
    const env = [{ name: 'WHO', value: 'jane' }];
    expect(await ask(answer('process.env.WHO'), { env })).toMatchObject({ token: 'jane' });
  });

  test('receives the cluster with provideClusterInfo', async () => {
    const credentials = await ask(answer('process.env.KUBERNETES_EXEC_INFO'), { provideClusterInfo: true });
    expect(JSON.parse(String(credentials?.token))).toEqual({
      kind: 'ExecCredential',
      apiVersion,
      spec: {
        interactive: false,
        cluster: {
          server: 'https://api.example:6443',
          'tls-server-name': 'api',
          'certificate-authority-data': Buffer.from('PEM').toString('base64'),
        },
      },
    });
  });

  test('fails with its code', async () => {
    await expect(ask('process.exit(3)')).rejects.toThrow(
      `getting credentials: exec: executable ${process.execPath} failed with exit code 3`,
    );
  });

  test('reports the install hint when it does not exist', async () => {
    await expect(ask('', { command: 'no-such-program', installHint: 'Install it.' })).rejects.toThrow(
      'getting credentials: exec: executable no-such-program not found\n\nInstall it.',
    );
  });
});
