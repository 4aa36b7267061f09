import type { ControllerRevision, Pod, PodTemplateSpec } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { templateHash } from '../template-hash/template-hash.js';

const labels = { app: 'agent' };
const hashLabel = 'controller-revision-hash';

describe('the revisions of a daemon set', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, nodes: 2, clock: 'virtual' });
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
    const spec = { selector: { matchLabels: labels }, template };
    await daemonSets().create({ metadata: { name: 'agent' }, spec });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const daemonSets = () => cluster.client.daemonSets('default');
  const revisions = () => cluster.client.controllerRevisions('default');
  const all = async (): Promise<ControllerRevision[]> => (await revisions().list()).items;
  const pods = async (): Promise<Pod[]> => (await cluster.client.pods('default').list()).items;
  const uids = async () => (await pods()).map(({ metadata }) => metadata.uid).sort();
  const hashes = async () => [...new Set((await pods()).map(({ metadata }) => metadata.labels?.[hashLabel]))];
  /** A second revision of the same template, created by another client. */
  const duplicate = async (first: ControllerRevision, hash = 'twin'): Promise<void> => {
    const { name: _name, resourceVersion: _version, uid: _uid, ...metadata } = first.metadata;
    const twin = { ...metadata, name: `agent-${hash}`, labels: { ...labels, [hashLabel]: hash } };
    await revisions().create({ ...first, metadata: twin, revision: first.revision + 1 });
    await cluster.settled();
  };
  const setGracePeriod = async (terminationGracePeriodSeconds: number) => {
    const patch = { spec: { template: { spec: { terminationGracePeriodSeconds } } } };
    await daemonSets().patch('agent', patch, { type: 'strategic' });
    await cluster.settled();
  };

  test('stay as they are when another client adds one, until the daemon set changes', async () => {
    await duplicate((await all())[0] as ControllerRevision);
    expect(await all()).toHaveLength(2);
  });

  test('are one for each template: the newest of its equals, whose label the pods get', async () => {
    const before = await uids();
    await duplicate((await all())[0] as ControllerRevision);
    await daemonSets().patch('agent', { metadata: { labels: { look: 'again' } } }, { type: 'merge' });
    await cluster.settled();
    expect((await all()).map(({ metadata }) => metadata.name)).toEqual(['agent-twin']);
    expect(await hashes()).toEqual(['twin']);
    expect(await uids()).toEqual(before);
  });

  test('may be deleted by others: pods of the same template generation are not replaced', async () => {
    const before = await uids();
    const [first] = await all();
    await duplicate(first as ControllerRevision);
    await revisions().delete(first?.metadata.name ?? '');
    await cluster.clock.advance('1m');
    expect((await all()).map(({ revision }) => revision)).toEqual([2]);
    expect(await uids()).toEqual(before);
  });

  test('continue after the highest number, and skip a name that is in use', async () => {
    const [first] = await all();
    const { spec } = await daemonSets().get('agent');
    const next = { ...spec?.template, spec: { ...spec?.template?.spec, terminationGracePeriodSeconds: 1 } };
    const taken = templateHash(next as PodTemplateSpec, undefined);
    await duplicate(first as ControllerRevision, taken);
    await revisions().delete(first?.metadata.name ?? '');
    await setGracePeriod(1);
    expect((await all()).map(({ revision }) => revision).sort()).toEqual([2, 3]);
    expect((await daemonSets().get('agent')).status?.collisionCount).toBe(1);
    await revisions().deleteCollection({ labelSelector: `${hashLabel}=${taken}` });
    await cluster.clock.advance('5m');
    expect((await all()).map(({ revision }) => revision)).toEqual([3]);
  });
});
