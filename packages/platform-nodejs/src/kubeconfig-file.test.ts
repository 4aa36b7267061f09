import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { inClusterConnection, kubeconfigPaths, loadConnection } from './kubeconfig-file.js';

const folders: string[] = [];
afterAll(async () => {
  for (const one of folders) await rm(one, { recursive: true, force: true });
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'coracle-kubeconfig-'));
  folders.push(made);
  return made;
}

describe('kubeconfig files', () => {
  test('CF-1 the named file takes precedence over $KUBECONFIG, and that over ~/.kube/config', () => {
    const environment = { KUBECONFIG: '/a:/b:/a' };
    expect(kubeconfigPaths({ path: '/x', environment })).toEqual(['/x']);
    expect(kubeconfigPaths({ environment })).toEqual(['/a', '/b']);
    expect(kubeconfigPaths({ environment: {}, home: '/home/me' })).toEqual(['/home/me/.kube/config']);
  });

  test('CF-9 merges files, ignores missing ones, and resolves relative files', async () => {
    const [one, two] = [await folder(), await folder()];
    await writeFile(join(one, 'c'), 'current-context: x\nusers: [{ name: u, user: { client-key: key.pem } }]');
    await writeFile(
      join(two, 'c'),
      'clusters: [{ name: k, cluster: { server: "https://k", certificate-authority: ca.pem } }]\ncontexts: [{ name: x, context: { cluster: k, user: u } }]',
    );
    const environment = { KUBECONFIG: [join(one, 'c'), join(one, 'missing'), join(two, 'c')].join(':') };
    expect(await loadConnection({ environment })).toEqual({
      server: 'https://k',
      certificateAuthority: { file: join(two, 'ca.pem') },
      credentials: { clientKey: { file: join(one, 'key.pem') } },
      namespace: 'default',
    });
  });

  test('a file that was named must be there', async () => {
    await expect(loadConnection({ path: '/nowhere/config', environment: {} })).rejects.toThrow('no such file');
  });

  test('an invalid kubeconfig is named in the error', async () => {
    const path = join(await folder(), 'config');
    await writeFile(path, 'kind: Pod');
    await expect(loadConnection({ path, environment: {} })).rejects.toThrow(`error loading config file "${path}"`);
  });

  test('CF-8 SA-08 in a pod, its service account is the default', async () => {
    const account = join(await folder(), 'account');
    await mkdir(account);
    for (const [name, text] of [
      ['token', 't'],
      ['ca.crt', 'CA'],
      ['namespace', 'shop\n'],
    ] as const)
      await writeFile(join(account, name), text);
    const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    expect(await inClusterConnection(environment, account)).toEqual({
      server: 'https://[fd00::1]:443',
      certificateAuthority: { file: join(account, 'ca.crt') },
      credentials: { tokenFile: join(account, 'token') },
      namespace: 'shop',
    });
    expect(await inClusterConnection({}, account)).toBe(undefined);
  });
});
