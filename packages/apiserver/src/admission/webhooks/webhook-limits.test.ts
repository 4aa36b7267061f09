import type { ApiRequest } from '@coracle/apimachinery';
import { PrometheusMetrics, VirtualClock } from '@coracle/base';
import { beforeEach, describe, expect, test } from 'vitest';
import type { TestServer } from '../../server.fixture.js';
import { installWebhook, type Responder, startWebhookServer } from './webhook-server.fixture.js';

const configmaps = '/api/v1/namespaces/default/configmaps';

let server: TestServer;
let clock: VirtualClock;
let respond: Responder;
let requests: ApiRequest[];

beforeEach(async () => {
  requests = [];
  respond = () => ({});
  clock = new VirtualClock();
  server = await startWebhookServer(clock, (review, request) => {
    requests.push(request);
    return respond(review, request);
  });
});

const create = (query: string) => server.call('POST', `${configmaps}${query}`, { metadata: { name: 'a' } });

describe('the timeout that is sent to a webhook', () => {
  test.each([
    ['its own', 10, '', 'timeout=10s'],
    ['its own if the request has more', 10, '?timeout=20s', 'timeout=10s'],
    ['that of the request if it is shorter', 10, '?timeout=5s', 'timeout=5s'],
    ['rounded up to whole seconds', 10, '?timeout=1200ms', 'timeout=2s'],
    ['rounded up to one second', 10, '?timeout=200ms', 'timeout=1s'],
  ])('is %s', async (_name, timeoutSeconds, query, sent) => {
    await installWebhook(server, 'mutating', { timeoutSeconds });
    expect((await create(query)).status).toBe(201);
    expect(requests.map(({ query }) => query)).toEqual([sent]);
  });

  test('is what earlier webhooks have left of the request', async () => {
    await installWebhook(server, 'mutating', { timeoutSeconds: 30 });
    await installWebhook(server, 'validating', { timeoutSeconds: 30 });
    respond = async () => {
      if (requests.length === 1) await clock.advance(14_500);
      return {};
    };
    await create('');
    expect(requests.map(({ query }) => query)).toEqual(['timeout=30s', 'timeout=20s']);
  });
});

describe('a webhook that is not done when the request is over', () => {
  test.each(['mutating', 'validating'] as const)('is left: %s', async (kind) => {
    await installWebhook(server, kind, { failurePolicy: 'Ignore', timeoutSeconds: 10 });
    respond = () => new Promise(() => {});
    const pending = create('?timeout=2s');
    await clock.advance(2_000);
    const { status, body } = await pending;
    expect([status, body.reason]).toEqual([504, 'Timeout']);
    expect(requests[0]?.signal?.aborted).toBe(true);
    await clock.advance(60_000);
    expect((await server.call('GET', `${configmaps}/a`)).status).toBe(404);
  });

  test('is left when the client is gone', async () => {
    await installWebhook(server, 'mutating', { failurePolicy: 'Ignore' });
    let reached = () => {};
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    respond = () => {
      reached();
      return new Promise(() => {});
    };
    const client = new AbortController();
    const body = { kind: 'value', value: { metadata: { name: 'a' } } } as const;
    const { signal } = client;
    const pending = server.server.exchange({ method: 'POST', path: configmaps, query: '', headers: {}, body, signal });
    await isReached;
    client.abort(new Error('gone'));
    await pending;
    expect(requests[0]?.signal?.aborted).toBe(true);
    expect((await server.call('GET', `${configmaps}/a`)).status).toBe(404);
  });
});

describe('a call is counted', () => {
  test.each([
    ['with 200 if the webhook allows the request', 'Fail', {}, '200', 'false', undefined],
    [
      'with the code of the webhook if it denies the request',
      'Fail',
      { allowed: false, status: { code: 409 } },
      '409',
      'true',
      'no_error',
    ],
    ['with 600 for higher ones', 'Fail', { allowed: false, status: { code: 999 } }, '600', 'true', 'no_error'],
    ['with the code of its answer if it fails', 'Fail', failure(502), '502', 'true', 'calling_webhook_error'],
    ['with 503 if its response is invalid', 'Fail', { uid: 'x' }, '503', 'true', 'calling_webhook_error'],
    ['as not rejected if its failure is overlooked', 'Ignore', failure(502), '502', 'false', undefined],
    [
      'with 0 if its patch does not fit',
      'Ignore',
      { patchType: 'JSONPatch', patch: btoa('[{"op":"remove","path":"/x"}]') },
      '0',
      'true',
      'apiserver_internal_error',
    ],
  ])('%s', async (_name, failurePolicy, response, code, rejected, error_type) => {
    const metrics = new PrometheusMetrics();
    const metered = await startWebhookServer(clock, () => response, metrics);
    await installWebhook(metered, 'mutating', { failurePolicy });
    await metered.call('POST', configmaps, { metadata: { name: 'a' } });
    const labels = 'name="hook.example.com",operation="CREATE",type="admit"';
    const text = metrics.render();
    expect(text).toContain(`webhook_request_total{${labels},code="${code}",rejected="${rejected}"} 1`);
    const rejections = text
      .split('\n')
      .filter((line) => line.startsWith('apiserver_admission_webhook_rejection_count{'));
    const counted = `{${labels},error_type="${error_type}",rejection_code="${code}"} 1`;
    expect(rejections).toEqual(error_type ? [`apiserver_admission_webhook_rejection_count${counted}`] : []);
  });
});

function failure(status: number): object {
  return { status, headers: {}, body: { kind: 'empty' } };
}
