import type { ApiRequest, ApiResponse } from '@coracle/apimachinery';
import { PrometheusMetrics, sleep, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { RestClientMetrics } from './rest-client-metrics.js';

function start() {
  const clock = new VirtualClock();
  const metrics = new PrometheusMetrics();
  const measured = new RestClientMetrics({ metrics, clock, host: '10.0.0.1:6443' });
  const lines = (name: string) =>
    metrics
      .render()
      .split('\n')
      .filter((line) => line.startsWith(name));
  return { clock, measured, lines };
}

const request = (method: string, query = ''): ApiRequest => ({ method, path: '/api/v1/pods', query, headers: {} });
const answer = (status: number): ApiResponse => ({ status, headers: {}, body: { kind: 'empty' } });

describe('the metrics of a client', () => {
  test('count requests by code, method and host', async () => {
    const { measured, lines } = start();
    const exchange = measured.counting(async ({ method }) => {
      if (method === 'DELETE') throw new Error('connection refused');
      return answer(method === 'POST' ? 201 : 200);
    });
    for (const method of ['GET', 'GET', 'POST', 'BREW', 'STEEP']) await exchange(request(method));
    await expect(exchange(request('DELETE'))).rejects.toThrow('connection refused');
    expect(lines('rest_client_requests_total')).toEqual([
      'rest_client_requests_total{code="200",method="GET",host="10.0.0.1:6443"} 2',
      'rest_client_requests_total{code="201",method="POST",host="10.0.0.1:6443"} 1',
      'rest_client_requests_total{code="200",method="other",host="10.0.0.1:6443"} 2',
      'rest_client_requests_total{code="<error>",method="DELETE",host="10.0.0.1:6443"} 1',
    ]);
  });

  test('measure how long requests take, but not watches', async () => {
    const { clock, measured, lines } = start();
    const exchange = measured.timing(async () => {
      await sleep(clock, 300);
      return answer(200);
    });
    const both = Promise.all([exchange(request('GET')), exchange(request('GET', 'watch=true'))]);
    await clock.advance(300);
    await both;
    const name = 'rest_client_request_duration_seconds';
    expect(lines(`${name}_count`)).toEqual([`${name}_count{verb="GET",host="10.0.0.1:6443"} 1`]);
    expect(lines(`${name}_sum`)).toEqual([`${name}_sum{verb="GET",host="10.0.0.1:6443"} 0.3`]);
    expect(lines(`${name}_bucket`).slice(3, 5)).toEqual([
      `${name}_bucket{verb="GET",host="10.0.0.1:6443",le="0.25"} 0`,
      `${name}_bucket{verb="GET",host="10.0.0.1:6443",le="0.5"} 1`,
    ]);
  });
});
