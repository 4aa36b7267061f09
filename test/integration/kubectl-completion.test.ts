import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectl, web } from './kubectl.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
  await cluster.client.deployments('default').create(web);
  await cluster.settled();
});
afterAll(() => cluster.stop());

const candidates = async (...words: string[]) =>
  (await kubectl(cluster, ['__completeNoDesc', ...words])).out.trimEnd().split('\n');

test('scale completes the flag that it needs, and the types that it takes', async () => {
  const types = ['deployment', 'replicaset', 'replicationcontroller', 'statefulset'];
  expect(await candidates('scale', '')).toEqual(['--replicas', ...types, ':4']);
  expect(await candidates('scale', '--replicas=1', '')).toEqual([...types, ':4']);
  expect(await candidates('scale', 'd')).toEqual(['deployment', ':4']);
  expect(await candidates('scale', '--replicas=1', 'deployment', '')).toEqual(['web', ':4']);
});

test('label completes types that can be read, those of the core group first', async () => {
  const types = await candidates('label', '');
  expect(types.slice(0, 3)).toEqual(['componentstatuses', 'configmaps', 'endpoints']);
  expect(types).not.toContain('bindings');
  expect(types).toContain('deployments.apps');
});

test('exec completes names of pods, and types of what has pods', async () => {
  const [first = '', second = '', ...types] = await candidates('exec', '');
  expect([first, second].every((name) => name.startsWith('web-'))).toBe(true);
  expect(types[0]).toBe('daemonsets/');
  expect(types.slice(-2)).toEqual(['statefulsets/', ':4']);
  expect(await candidates('exec', 'd')).toEqual(['daemonsets/', 'deployments/', ':6']);
  expect(await candidates('exec', 'deployments/')).toEqual(['deployments/web', ':4']);
  expect(await candidates('exec', first, '')).toEqual([':4']);
});

test.each([
  ['strategic', "invalid character 'b' looking for beginning of object key string"],
  ['merge', "error decoding patch: invalid character 'b' looking for beginning of object key string"],
])('a %s patch that is damaged JSON fails with the reason of the server', async (type, reason) => {
  const patch = (name: string) => kubectl(cluster, ['patch', 'deploy', name, '--type', type, '-p', '{bad']);
  expect((await patch('web')).err).toBe(`Error from server (BadRequest): ${reason}\n`);
  expect((await patch('none')).err).toBe('Error from server (NotFound): deployments.apps "none" not found\n');
});

test('set selector prints the object even if it has that selector', async () => {
  const ports = [{ port: 80 }];
  await cluster.client.services('default').create({ metadata: { name: 's' }, spec: { selector: { a: 'b' }, ports } });
  const { out } = await kubectl(cluster, ['set', 'selector', 'service', 's', 'a=b']);
  expect(out).toBe('service/s selector updated\n');
});
