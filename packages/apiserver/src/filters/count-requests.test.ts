import { PrometheusMetrics } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

async function start() {
  const metrics = new PrometheusMetrics();
  const { server } = await startTestServer({ metrics });
  const send = (method: string, path: string) => server.exchange({ method, path, query: '', headers: {} });
  const seriesOf = (name: string) =>
    metrics
      .render()
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`));
  return { send, seriesOf };
}

describe('the labels of counted requests', () => {
  test('come from a bounded set, for any requests', async () => {
    const { send, seriesOf } = await start();
    const madeUp = (i: number) => [
      ['GET', `/api/v1/namespaces/default/pods/p/made-up-${i}`],
      ['GET', `/api/v1/namespaces/made-up-${i}/pods/made-up-${i}`],
      ['GET', `/api/v1/made-up-${i}`],
      ['GET', `/apis/made-up-${i}/v1/pods`],
      ['GET', `/made-up-${i}`],
      [`MADE-UP-${i}`, '/api/v1/namespaces/default/pods'],
      [`MADE-UP-${i}`, '/version'],
      ['CONSTRUCTOR', '/version'],
    ];
    for (const [method = '', path = ''] of madeUp(0)) await send(method, path);
    const before = seriesOf('apiserver_request_total').length;
    for (let i = 1; i < 50; i++) for (const [method = '', path = ''] of madeUp(i)) await send(method, path);
    const after = seriesOf('apiserver_request_total');
    expect(after.length).toBe(before);
    expect(after.join('\n')).not.toMatch(/made-up/i);
  });

  test('name the served resources', async () => {
    const { send, seriesOf } = await start();
    await send('GET', '/api/v1/namespaces/default/pods/p/status');
    expect(seriesOf('apiserver_request_total')).toEqual([
      'apiserver_request_total{verb="GET",dry_run="",group="",version="v1",resource="pods",subresource="status",scope="resource",component="apiserver",code="404"} 1',
    ]);
  });
});
