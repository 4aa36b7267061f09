import type { Pod } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { node, startTestNodes, stateOf, web } from './nodes.fixture.js';

const manifest = (image = 'nginx'): Pod => ({
  metadata: { name: 'proxy', namespace: 'default' },
  spec: { containers: [{ ...web, image }] },
});
const shown = `proxy-${node}`;

describe('static pods', () => {
  test('K9.7 K11.1 run without the API, which shows them under the name of their node', async () => {
    const { clock, nodes, pods, client } = await startTestNodes();
    nodes.setManifests(node, [manifest()]);
    await clock.settle();
    const mirror = await pods.get(shown);
    expect(stateOf(mirror)).toBe('ready');
    const { annotations = {}, ownerReferences } = mirror.metadata;
    expect(annotations['kubernetes.io/config.source']).toBe('file');
    expect(annotations['kubernetes.io/config.mirror']).toBe(annotations['kubernetes.io/config.hash']);
    expect(annotations['kubernetes.io/config.mirror']).toMatch(/^[0-9a-f]{32}$/);
    const { uid } = await client
      .nodes()
      .get(node)
      .then(({ metadata }) => metadata);
    expect(ownerReferences).toEqual([{ apiVersion: 'v1', kind: 'Node', name: node, uid, controller: true }]);
    expect(mirror.spec?.tolerations).toEqual([{ operator: 'Exists', effect: 'NoExecute' }]);
    const { items = [] } = (await nodes.runtimeOf(node)?.listPodSandbox({})) ?? {};
    expect(items.map(({ metadata }) => metadata?.uid)).toEqual([annotations['kubernetes.io/config.hash']]);
  });

  test('K11.3 continue when a user deletes the mirror pod, which is created again', async () => {
    const { clock, nodes, pods } = await startTestNodes();
    nodes.setManifests(node, [manifest()]);
    await clock.settle();
    const before = await pods.get(shown);
    await pods.delete(shown);
    await clock.advance(5_000);
    const after = await pods.get(shown);
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.metadata.deletionTimestamp).toBeUndefined();
    expect(after.status?.containerStatuses?.[0]?.containerID).toBe(before.status?.containerStatuses?.[0]?.containerID);
    expect(stateOf(after)).toBe('ready');
  });

  test('K10.5 K10.9 K11.3 are replaced when their manifest changes, one after the other', async () => {
    const { clock, nodes, pods } = await startTestNodes();
    nodes.setManifests(node, [manifest()]);
    await clock.settle();
    const before = await pods.get(shown);
    nodes.setManifests(node, [manifest('other')]);
    await clock.advance(5_000);
    const after = await pods.get(shown);
    expect(after.spec?.containers[0]?.image).toBe('other');
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(stateOf(after)).toBe('ready');
    expect((await nodes.runtimeOf(node)?.listPodSandbox({}))?.items).toHaveLength(1);
  });

  test('K10.9 K14.8 end when their manifest is removed, and their mirror pod is deleted', async () => {
    const { clock, nodes, pods } = await startTestNodes();
    nodes.setManifests(node, [manifest()]);
    await clock.settle();
    nodes.setManifests(node, []);
    await clock.advance(5_000);
    await expect(pods.get(shown)).rejects.toMatchObject({ message: expect.stringContaining('not found') });
    expect((await nodes.runtimeOf(node)?.listPodSandbox({}))?.items).toEqual([]);
  });

  test('K14.8 the mirror pod of a removed static pod is deleted when the node is back', async () => {
    const { clock, nodes, pods } = await startTestNodes();
    nodes.setManifests(node, [manifest()]);
    await clock.settle();
    await nodes.stopNode(node);
    nodes.setManifests(node, []);
    await nodes.startNode(node);
    await clock.advance(5_000);
    await expect(pods.get(shown)).rejects.toMatchObject({ message: expect.stringContaining('not found') });
    expect((await nodes.runtimeOf(node)?.listPodSandbox({}))?.items).toEqual([]);
  });

  test('K13.3 are found again by a kubelet that was restarted', async () => {
    const { clock, nodes, pods } = await startTestNodes();
    nodes.setManifests(node, [manifest()]);
    await clock.settle();
    const before = await pods.get(shown);
    await nodes.stopNode(node);
    await nodes.startNode(node);
    await clock.advance(5_000);
    const after = await pods.get(shown);
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.status?.containerStatuses).toEqual(before.status?.containerStatuses);
  });

  test('K10.2 of two with one name the first runs', async () => {
    const { clock, nodes, events } = await startTestNodes();
    nodes.setManifests(node, [manifest(), manifest('other')]);
    await clock.settle();
    expect((await nodes.runtimeOf(node)?.listContainers({}))?.containers).toHaveLength(1);
    expect((await events(shown)).filter((event) => event.startsWith('FailedValidation'))).toEqual([
      `FailedValidation: Error validating pod ${shown}_default from file due to duplicate pod name "${shown}", ignoring`,
    ]);
  });
});
