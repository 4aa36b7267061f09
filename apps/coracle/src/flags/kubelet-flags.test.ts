import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { defaultCriEndpoint, readConfiguredNode } from './kubelet-configuration.js';
import { kubeletOptions } from './kubelet-flags.js';

function fileOf(configuration: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'coracle-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'kubelet.yaml');
  const type = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  writeFileSync(file, JSON.stringify({ ...type, ...configuration }));
  return file;
}

const flags = { rootDir: '/r', logLevel: 'error' } as const;

test('settings of a KubeletConfiguration, and those without effect', async () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => stderr.mockRestore());
  const taints = [{ key: 'a', value: 'b', effect: 'NoSchedule' }];
  const file = fileOf({ maxPods: 7, port: 1, podPidsLimit: 9, registerWithTaints: taints, contentType: 'x' });
  expect(await readConfiguredNode(file)).toEqual({
    settings: { podPidsLimit: 9 },
    failSwapOn: true,
    maxPods: 7,
    kubeletPort: 1,
    taints,
    health: { host: '127.0.0.1', port: 10248 },
  });
  expect(stderr.mock.calls).toEqual([['coracle: without effect here: contentType\n']]);
  expect(await readConfiguredNode(undefined)).toEqual({
    settings: {},
    health: { host: '127.0.0.1', port: 10248 },
  });
});

test.each([
  { says: {}, servingFiles: undefined },
  {
    says: { tlsCertFile: '/a.crt', tlsPrivateKeyFile: '/a.key' },
    servingFiles: { certificate: { certFile: '/a.crt', keyFile: '/a.key' } },
  },
  {
    says: { authentication: { x509: { clientCAFile: '/ca.crt' } } },
    servingFiles: { clientCaFile: '/ca.crt' },
  },
])('the serving certificate of the kubelet: $says', async ({ says, servingFiles }) => {
  expect((await readConfiguredNode(fileOf(says))).servingFiles).toEqual(servingFiles);
});

test('a certificate without its key is refused', async () => {
  const file = fileOf({ tlsCertFile: '/a.crt' });
  await expect(readConfiguredNode(file)).rejects.toThrow('tlsCertFile and tlsPrivateKeyFile must be given together');
});

test('flags take precedence over the file, and the file over defaults', async () => {
  const config = fileOf({ maxPods: 7, cgroupRoot: '/file', containerRuntimeEndpoint: 'unix:///file.sock' });
  const fromFile = { maxPods: 7, criEndpoint: 'unix:///file.sock', settings: { cgroupRoot: '/file' } };
  expect(await kubeletOptions({ ...flags, config })).toMatchObject({ ...fromFile, rootDirectory: '/r' });
  const own = { maxPods: 8, cgroupRoot: '/flag', containerRuntimeEndpoint: 'unix:///flag.sock' };
  expect(await kubeletOptions({ ...flags, ...own, config })).toMatchObject({
    maxPods: 8,
    criEndpoint: 'unix:///flag.sock',
    settings: { cgroupRoot: '/flag' },
  });
  expect((await kubeletOptions(flags)).criEndpoint).toBe(defaultCriEndpoint);
});

test.each([
  { says: {}, health: { host: '127.0.0.1', port: 10248 } },
  { says: { healthzBindAddress: '0.0.0.0', healthzPort: 1 }, health: { host: '0.0.0.0', port: 1 } },
  { says: { healthzPort: 0 }, health: undefined },
  { says: { healthzPort: 1 }, own: { healthzPort: 2 }, health: { host: '127.0.0.1', port: 2 } },
  { says: { healthzPort: 1 }, own: { healthzPort: 0 }, health: undefined },
  { says: { healthzPort: 0 }, own: { healthzPort: 2 }, health: { host: '127.0.0.1', port: 2 } },
  { says: {}, own: { healthzBindAddress: '::' }, health: { host: '::', port: 10248 } },
])('the health server with $says in the file and the flags $own', async ({ says, own, health }) => {
  expect((await kubeletOptions({ ...flags, ...own, config: fileOf(says) })).health).toEqual(health);
});
