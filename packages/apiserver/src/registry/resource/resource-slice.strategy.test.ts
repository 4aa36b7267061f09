import { expect, test } from 'vitest';
import { startTestServer } from '../../server.fixture.js';

test('taints of devices have the time of their creation', async () => {
  const { call } = await startTestServer();
  const taints = [
    { key: 'a', effect: 'NoSchedule' },
    { key: 'b', effect: 'NoExecute', timeAdded: '2020-01-01T00:00:00Z' },
  ];
  const { status, body } = await call('POST', '/apis/resource.k8s.io/v1/resourceslices', {
    metadata: { name: 's' },
    spec: {
      driver: 'd.example.com',
      nodeName: 'n',
      pool: { name: 'n', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'gpu', taints }],
    },
  });
  expect(status).toBe(201);
  expect(body.spec.devices[0].taints.map((taint: { timeAdded?: string }) => taint.timeAdded)).toEqual([
    body.metadata.creationTimestamp,
    '2020-01-01T00:00:00Z',
  ]);
});
