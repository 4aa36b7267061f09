import { PrometheusMetrics } from '@coracle/base';
import { expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const labels = '{group="",version="v1",resource="configmaps"';

async function watchAsJson({ server }: TestServer): Promise<void> {
  const headers = { accept: 'application/json' };
  const { body } = await server.exchange({ method: 'GET', path: configMaps, query: 'watch=1', headers });
  if (body.kind !== 'stream') throw new Error('no stream');
  body.stream.open({ write: () => true, end: () => {}, onDrain: () => {}, onClose: () => {} });
}

test('WATCH-14 events are counted for each watcher that receives them, with their sizes', async () => {
  const server = await startTestServer({ metrics: new PrometheusMetrics() });
  const { call, watch } = server;
  await call('POST', configMaps, { metadata: { name: 'small' } });
  for (let i = 0; i < 3; i++) await watchAsJson(server);
  await watch(`${configMaps}?watch=1`);
  await call('POST', configMaps, { metadata: { name: 'large' }, data: { text: 'x'.repeat(3000) } });
  const { body } = await call('GET', '/metrics');
  expect(body).toContain(`apiserver_watch_events_total${labels}} 8\n`);
  expect(body).toContain(`apiserver_watch_events_sizes_bucket${labels},le="1024"} 3\n`);
  expect(body).toContain(`apiserver_watch_events_sizes_bucket${labels},le="2048"} 3\n`);
  expect(body).toContain(`apiserver_watch_events_sizes_bucket${labels},le="4096"} 6\n`);
  expect((await call('GET', '/metrics')).body).toContain(`apiserver_watch_events_sizes_count${labels}} 6\n`);
});
