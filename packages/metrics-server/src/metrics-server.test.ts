import { acceptsValues } from '@coracle/apimachinery';
import { silentLogger, VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { createMetricsServer } from './metrics-server.js';

const time = '2026-01-01T00:00:00Z';
const summary = { node: { cpu: { time, usageNanoCores: 250_000_000 }, memory: { time, workingSetBytes: 1024 } } };

test('answers are values for clients that take them, and JSON for others', async () => {
  const { exchange } = createMetricsServer({
    clock: new VirtualClock(),
    logger: silentLogger,
    source: async () => summary,
    nodes: () => [{ metadata: { name: 'n1' } }],
    pods: () => [],
  });
  const request = { method: 'GET', path: '/apis/metrics.k8s.io/v1beta1/nodes/n1', query: '', headers: {} };
  const { body } = await exchange({ ...request, headers: { [acceptsValues]: '1' } });
  const encoded = await exchange(request);
  const value = body.kind === 'value' ? body.value : undefined;
  expect(value).toMatchObject({ kind: 'NodeMetrics', usage: { cpu: '250m', memory: '1Ki' } });
  const [bytes] = encoded.body.kind === 'bytes' ? encoded.body.chunks : [];
  expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual(value);
  expect(encoded.headers['content-type']).toBe('application/json');
});
