import { describe, expect, test } from 'vitest';
import { fakeApi, sentBody } from '../fake-api.fixture.js';
import { labelTopology } from './csi-node.js';

function nodeWith(labels: Record<string, string>) {
  const patches: unknown[] = [];
  const { client } = fakeApi((request) => {
    if (request.method === 'PATCH') patches.push(sentBody(request));
    return { metadata: { name: 'n', labels } };
  });
  return { client, patches };
}

const drivers = (segments?: Record<string, string>) =>
  new Map([['d', { nodeId: 'n', ...(segments && { accessibleTopology: { segments } }) }]]);

describe('where a driver reaches volumes from', () => {
  test.each([
    { has: {}, says: { 'topology.d/zone': 'a' }, patches: [{ metadata: { labels: { 'topology.d/zone': 'a' } } }] },
    { has: { 'topology.d/zone': 'a' }, says: { 'topology.d/zone': 'a' }, patches: [] },
    { has: {}, says: undefined, patches: [] },
  ])('$says on a node with $has', async ({ has, says, patches: expected }) => {
    const { client, patches } = nodeWith(has);
    await labelTopology(client, 'n', drivers(says));
    expect(patches).toEqual(expected);
  });

  test('a node has one value per topology key', async () => {
    const { client } = nodeWith({ zone: 'b' });
    await expect(labelTopology(client, 'n', drivers({ zone: 'a' }))).rejects.toThrow(
      'detected topology value collision: driver reported "zone":"a" but existing label is "zone":"b"',
    );
  });
});
