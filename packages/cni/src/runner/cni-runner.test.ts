import { beforeEach, expect, test } from 'vitest';
import type { NetworkConfig } from '../network-config.js';
import type { AttachmentKey, CachedAttachment, ResultCache } from './attachment.js';
import { CniRunner, type PluginOutcome, type PluginRun } from './cni-runner.js';

const network: NetworkConfig = {
  name: 'pods',
  cniVersion: '1.1.0',
  disableCheck: false,
  disableGc: false,
  plugins: [{ type: 'first', capabilities: { portMappings: true, ips: false } }, { type: 'second' }],
};
const attachment = {
  containerId: 'c',
  netns: '/ns',
  ifName: 'eth0',
  args: [['K8S_POD_NAME', 'web'] as const],
  capabilities: { portMappings: [{ hostPort: 1 }], ips: ['x'] },
};

let runs: PluginRun[];
let answers: Record<string, PluginOutcome>;
let cache: ResultCache & { readonly attachments: Map<string, CachedAttachment> };
let runner: CniRunner;

beforeEach(() => {
  runs = [];
  answers = {};
  cache = memoryCache();
  runner = new CniRunner({
    cache,
    runPlugin: async (run) => {
      runs.push(run);
      const stdout = JSON.stringify({ cniVersion: '1.1.0', ips: [{ address: `10.0.0.${runs.length}/24` }] });
      return answers[`${run.environment['CNI_COMMAND']} ${run.type}`] ?? { exitCode: 0, stdout, stderr: '' };
    },
  });
});

function memoryCache(): typeof cache {
  const rest = new Map<string, CachedAttachment>();
  const name = ({ containerId, ifName }: AttachmentKey) => `${containerId}/${ifName}`;
  return {
    attachments: rest,
    read: async (_, key) => rest.get(name(key)),
    write: async (_, cached) => void rest.set(name(cached.attachment), cached),
    remove: async (_, key) => void rest.delete(name(key)),
    list: async () => [...rest.values()],
  };
}

const inputs = () => runs.map(({ stdin }) => JSON.parse(stdin));

test('ADD passes the result on, and keeps the last', async () => {
  const result = await runner.add(network, attachment);
  expect(result.ips).toEqual([{ address: '10.0.0.2/24' }]);
  expect(inputs()[0]).toEqual({
    type: 'first',
    name: 'pods',
    cniVersion: '1.1.0',
    runtimeConfig: { portMappings: [{ hostPort: 1 }] },
  });
  expect(inputs()[1].prevResult.ips).toEqual([{ address: '10.0.0.1/24' }]);
  expect(runs[0]?.environment).toMatchObject({ CNI_COMMAND: 'ADD', CNI_ARGS: 'K8S_POD_NAME=web', CNI_NETNS: '/ns' });
  expect(cache.attachments.size).toBe(1);
});

test('DEL runs in reverse with the result of ADD, and removes it', async () => {
  await runner.add(network, attachment);
  runs = [];
  await runner.del(network, { containerId: 'c', ifName: 'eth0' });
  expect(runs.map(({ type }) => type)).toEqual(['second', 'first']);
  expect(inputs()[1]).toMatchObject({ prevResult: { ips: [{}] }, runtimeConfig: { portMappings: [{}] } });
  expect(cache.attachments.size).toBe(0);
});

test('the first failure of ADD ends the chain', async () => {
  answers['ADD first'] = { exitCode: 1, stdout: '{"code":11,"msg":"later","details":"d"}', stderr: '' };
  await expect(runner.add(network, attachment)).rejects.toMatchObject({
    code: 11,
    message: 'plugin type="first" failed (add): later',
    details: 'd',
  });
  expect(runs).toHaveLength(1);
  expect(cache.attachments.size).toBe(0);
});

test.each([
  ['nothing', { exitCode: 0, stdout: '', stderr: '' }, /printed no result/],
  ['a list', { exitCode: 0, stdout: '[]', stderr: '' }, /printed no result/],
  [
    'a bad address',
    { exitCode: 0, stdout: '{"cniVersion":"1.0.0","ips":[{"address":"x"}]}', stderr: '' },
    /invalid CIDR/,
  ],
  ['a crash', { exitCode: 139, stdout: '', stderr: 'segmentation fault' }, /exit status 139: segmentation fault/],
])('refuses %s', async (_, outcome, message) => {
  answers['ADD first'] = outcome;
  await expect(runner.add(network, attachment)).rejects.toThrow(message);
});

test('GC removes invalid cached results, then calls the plugins', async () => {
  await runner.add(network, attachment);
  runs = [];
  await runner.gc(network, [{ containerId: 'other', ifName: 'eth0' }]);
  expect(runs.map(({ environment }) => environment['CNI_COMMAND'])).toEqual(['DEL', 'DEL', 'GC', 'GC']);
  expect(inputs()[2]['cni.dev/valid-attachments']).toEqual([{ containerID: 'other', ifname: 'eth0' }]);
});

test('CHECK and STATUS are for versions that have them', async () => {
  const old = { ...network, cniVersion: '0.3.1' };
  await expect(runner.check(old, attachment)).rejects.toThrow(/does not support CHECK/);
  await runner.status(old);
  await runner.check({ ...network, disableCheck: true }, attachment);
  expect(runs).toHaveLength(0);
});
