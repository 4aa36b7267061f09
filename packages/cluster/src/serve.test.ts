import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, VirtualClock } from '@coracle/base';
import { type ClusterPki, openClusterPki, systemClock } from '@coracle/platform-nodejs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serve } from './serve.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-serve-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** As much of a control plane as listening takes. */
const controlPlane = {
  server: {
    exchange: () => Promise.reject(new Error('no request is expected')),
    upgrade: () => Promise.reject(new Error('no upgrade is expected')),
    announce: async () => {},
    publish: async () => {},
    features: { isOn: () => true },
    shutDown: () => {},
  },
};

test("SERVE-03 the administrator's kubeconfig is written again when its certificate is renewed", async () => {
  const clock = new VirtualClock();
  const open = (name: string): Promise<ClusterPki> =>
    openClusterPki({ folder: join(folder, name), clock: systemClock, serviceAddress: '10.96.0.1' });
  const first = await open('first');
  let current = first;
  const kubeconfigFile = join(folder, 'kube', 'config');
  await using serving = await serve({
    controlPlane,
    pki: first,
    files: {},
    openPki: async () => current,
    address: { host: '127.0.0.1', port: 0 },
    kubeconfigFile,
    clock,
    logger: silentLogger,
  });
  const inBase64 = (text: string) => Buffer.from(text).toString('base64');
  expect(await readFile(kubeconfigFile, 'utf8')).toContain(inBase64(first.admin.certificate));
  current = { ...first, admin: (await open('second')).admin };
  await clock.advance(3_600_000);
  await expect.poll(() => readFile(kubeconfigFile, 'utf8')).toContain(inBase64(current.admin.certificate));
  expect(serving.kubeconfig).toBe(await readFile(kubeconfigFile, 'utf8'));
});

test('SERVE-07 a server that shuts down becomes unready at once, and keeps serving for the shutdown delay', async () => {
  const clock = new VirtualClock();
  const steps: string[] = [];
  const pki = await openClusterPki({ folder: join(folder, 'pki'), clock: systemClock, serviceAddress: '10.96.0.1' });
  const server = { ...controlPlane.server, shutDown: () => void steps.push('not ready') };
  const serving = await serve({
    controlPlane: { ...controlPlane, server },
    pki,
    files: {},
    openPki: async () => pki,
    address: { host: '127.0.0.1', port: 0 },
    advertiseAddress: '192.0.2.9',
    shutdownDelayMs: 5_000,
    clock,
    logger: silentLogger,
  });
  const ended = serving[Symbol.asyncDispose]().then(() => steps.push('closed'));
  await clock.advance(4_999);
  expect(steps).toEqual(['not ready']);
  await clock.advance(1);
  await ended;
  expect(steps).toEqual(['not ready', 'closed']);
  expect(clock.pending).toBe(0);
});
