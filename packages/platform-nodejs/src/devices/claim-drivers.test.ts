import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@coracle/api';
import { silentLogger } from '@coracle/base';
import { createClient } from '@coracle/client';
import { ClaimManager } from '@coracle/kubelet';
import { expect, onTestFinished, test } from 'vitest';
import { PluginWatcher } from '../plugins/plugin-watcher.js';
import { systemClock } from '../system-clock.js';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { checkpointFiles } from './checkpoint-files.js';
import { ClaimDrivers } from './claim-drivers.js';
import { TestClaimDriver } from './test-claim-driver.fixture.js';

const driverName = 'things.test.example.com';

function podWith(uid: string, request?: string): Pod {
  const claims = [{ name: 'mine', ...(request && { request }) }];
  return {
    metadata: { name: `pod-${uid}`, namespace: 'default', uid },
    spec: {
      resourceClaims: [{ name: 'mine', resourceClaimTemplateName: 'template' }],
      containers: [{ name: 'c', resources: { claims } }],
    },
    status: { resourceClaimStatuses: [{ name: 'mine', resourceClaimName: 'claim-1' }] },
  };
}

/** The API has one claim, which is reserved for these pods. */
function clientWith(reservedFor: readonly string[]) {
  const results = [{ request: 'one', driver: driverName, pool: 'pool', device: 'device-1' }];
  const value = {
    metadata: { name: 'claim-1', namespace: 'default', uid: 'claim-uid' },
    spec: {},
    status: { allocation: { devices: { results } }, reservedFor: reservedFor.map((uid) => ({ uid })) },
  };
  const exchange = async () => ({ status: 200, headers: {}, body: { kind: 'value' as const, value } });
  return createClient({ transport: { exchange }, user: { name: 'kubelet', groups: [] } });
}

async function startNode(version?: string, reservedFor = ['1', '2']) {
  const root = await temporaryFolder();
  const folder = join(root, 'plugins_registry');
  await mkdir(folder, { recursive: true });
  const driver = await TestClaimDriver.start(driverName, folder, version);
  const drivers = new ClaimDrivers();
  const watcher = new PluginWatcher({
    folder,
    clock: systemClock,
    logger: silentLogger,
    handlers: { DRAPlugin: drivers },
  });
  await watcher.start();
  onTestFinished(async () => {
    watcher[Symbol.dispose]();
    drivers[Symbol.dispose]();
    await driver[Symbol.asyncDispose]();
  });
  const manager = () =>
    new ClaimManager({
      client: clientWith(reservedFor),
      driverOf: (name) => drivers.get(name),
      checkpoints: checkpointFiles(root),
      logger: silentLogger,
    });
  return { driver, claims: manager(), manager };
}

const container = { name: 'c', resources: { claims: [{ name: 'mine' }] } };

test.each(['v1', 'v1beta1'])(
  'a claim is prepared once for all its pods, and given back by the last: %s',
  async (version) => {
    const { driver, claims, manager } = await startNode(version);
    expect(driver.registration).toEqual({ pluginRegistered: true });
    await claims.prepare(podWith('1'));
    await claims.prepare(podWith('2'));
    expect(claims.cdiDevicesOf(podWith('1'), container)).toEqual([`${driverName}/thing=claim-1`]);
    expect(driver.calls).toEqual(['prepare claim-1']);
    await claims.release((uid) => uid !== '1');
    expect(driver.calls).toEqual(['prepare claim-1']);
    const later = manager();
    await later.start();
    expect(later.cdiDevicesOf(podWith('2'), container)).toHaveLength(1);
    await later.release(() => false);
    expect(driver.calls).toEqual(['prepare claim-1', 'unprepare claim-1']);
    expect(later.cdiDevicesOf(podWith('2'), container)).toEqual([]);
  },
);

test.each([
  { request: 'one', count: 1 },
  { request: 'other', count: 0 },
])('a container has the devices of the request that it names: $request', async ({ request, count }) => {
  const { claims } = await startNode();
  await claims.prepare(podWith('1'));
  const asking = { name: 'c', resources: { claims: [{ name: 'mine', request }] } };
  expect(claims.cdiDevicesOf(podWith('1'), asking)).toHaveLength(count);
});

test.each([
  { requestName: 'one', count: 1 },
  { requestName: 'other', count: 0 },
])('a container has the devices for its extended resources: $requestName', async ({ requestName, count }) => {
  const { driver, claims } = await startNode();
  const requestMappings = [{ containerName: 'c', resourceName: 'example.com/gpu', requestName }];
  const pod: Pod = {
    ...podWith('1'),
    spec: { containers: [{ name: 'c' }] },
    status: { extendedResourceClaimStatus: { resourceClaimName: 'claim-1', requestMappings } },
  };
  await claims.prepare(pod);
  expect(driver.calls).toEqual(['prepare claim-1']);
  expect(claims.cdiDevicesOf(pod, { name: 'c' })).toHaveLength(count);
  expect(claims.cdiDevicesOf(pod, { name: 'd' })).toEqual([]);
});

test('errors of a driver, and a pod that the claim is not reserved for', async () => {
  const { driver, claims } = await startNode('v1', ['1']);
  driver.refusal = 'it is broken';
  await expect(claims.prepare(podWith('1'))).rejects.toThrow(`${driverName}: it is broken`);
  await expect(claims.prepare(podWith('2'))).rejects.toThrow('is not allowed to use resource claim claim-1');
});

test('a driver of an unknown version is refused', async () => {
  const { driver, claims } = await startNode('v9');
  expect(driver.registration).toMatchObject({ error: expect.stringContaining('v9.DRAPlugin') });
  await expect(claims.prepare(podWith('1'))).rejects.toThrow(`DRA driver ${driverName} is not registered`);
});
