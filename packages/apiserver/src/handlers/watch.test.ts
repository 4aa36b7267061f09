import { initialEventsEnd } from '@coracle/apimachinery';
import { PrometheusMetrics, silentLogger } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { startTestServer, type TestWatch } from '../server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, labels: Record<string, string> = {}) => ({ metadata: { name, labels } });

const eventLines = ({ events }: TestWatch): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.reason ?? ''}`.trim());

describe('a watch', () => {
  test('CACHE-11 CACHE-14 CACHE-15 WATCH-16 from a revision reports the changes after it, once and in order', async () => {
    const { call, watch } = await startTestServer();
    const { body } = await call('POST', configMaps, configMap('a'));
    await call('POST', configMaps, configMap('b'));
    await call('DELETE', `${configMaps}/a`);
    const seen = await watch(`${configMaps}?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
    await call('POST', configMaps, configMap('c'));
    expect(eventLines(seen)).toEqual(['ADDED b', 'DELETED a', 'ADDED c']);
  });

  test('CACHE-27 turns a change of labels into an addition or a deletion', async () => {
    const { call, watch } = await startTestServer();
    const seen = await watch(`${configMaps}?watch=1&labelSelector=app%3Dweb`);
    await call('POST', configMaps, configMap('a'));
    await call('PUT', `${configMaps}/a`, configMap('a', { app: 'web' }));
    await call('PUT', `${configMaps}/a`, configMap('a', { app: 'web', more: 'x' }));
    await call('PUT', `${configMaps}/a`, configMap('a'));
    expect(eventLines(seen)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    expect(seen.events[2]?.object.metadata.labels).toEqual({ app: 'web', more: 'x' });
  });

  test('CACHE-22 with initial events ends them with a bookmark', async () => {
    const { call, watch } = await startTestServer();
    await call('POST', configMaps, configMap('a'));
    const query = 'watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
    const seen = await watch(`${configMaps}?${query}`);
    expect(eventLines(seen)).toEqual(['ADDED a', 'BOOKMARK']);
    expect(seen.events[1]?.object.metadata.annotations).toEqual({ [initialEventsEnd]: 'true' });
  });

  test('with initial events is never of tables: other media types of the client are used', async () => {
    const { call, watch } = await startTestServer();
    await call('POST', configMaps, configMap('a'));
    const query = 'watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const refused = await call('GET', `${configMaps}?${query}`, undefined, { accept: table });
    expect([refused.status, refused.body.reason]).toEqual([406, 'NotAcceptable']);
    const seen = await watch(`${configMaps}?${query}`, { accept: `${table},application/json` });
    expect(eventLines(seen)).toEqual(['ADDED a', 'BOOKMARK']);
    expect(seen.events[0]?.object.kind).toBe('ConfigMap');
  });

  test('CACHE-22 receives a bookmark every minute', async () => {
    const { call, watch, clock } = await startTestServer();
    const seen = await watch(`${configMaps}?watch=1&allowWatchBookmarks=true`);
    const { body } = await call('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
    await clock.advance(60_000);
    expect(eventLines(seen)).toEqual(['BOOKMARK']);
    expect(Number(seen.events[0]?.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      Number(body.metadata.resourceVersion),
    );
  });

  test('WATCH-07 ends after its timeout, or after half an hour to an hour', async () => {
    const { watch, clock } = await startTestServer();
    const short = await watch(`${configMaps}?watch=1&timeoutSeconds=5`);
    const usual = await watch(`${configMaps}?watch=1`);
    await clock.advance(5000);
    expect(short.ended).toBe(true);
    await clock.advance(1_790_000);
    expect(usual.ended).toBe(false);
    await clock.advance(1_810_000);
    expect(usual.ended).toBe(true);
  });

  test('CACHE-22 receives a bookmark two seconds before its timeout', async () => {
    const { watch, clock } = await startTestServer();
    const seen = await watch(`${configMaps}?watch=1&allowWatchBookmarks=true&timeoutSeconds=30`);
    await clock.advance(27_999);
    expect(seen.events).toEqual([]);
    await clock.advance(1);
    expect(seen.events.map(({ type }) => type)).toEqual(['BOOKMARK']);
    await clock.advance(2_000);
    expect(seen.ended).toBe(true);
    expect(seen.events).toHaveLength(1);
  });

  test('CACHE-16 ERR-08 from a revision that is too old gets an error in the stream', async () => {
    const { call, watch, clock } = await startTestServer();
    const { body } = await call('POST', configMaps, configMap('a'));
    await clock.advance(80_000);
    for (let i = 0; i < 200; i++) {
      await call('PUT', `${configMaps}/a`, { ...configMap('a'), data: { i: String(i) } });
      await clock.advance(1000);
    }
    const seen = await watch(`${configMaps}?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
    expect(eventLines(seen)).toEqual(['ERROR Expired']);
    expect(seen.events[0]?.object).toMatchObject({
      code: 410,
      message: expect.stringMatching(/^too old resource version/),
    });
    expect(seen.ended).toBe(true);
  });

  test('CACHE-11 from a future revision is silent until that is reached, bookmarks included', async () => {
    const { call, watch, clock } = await startTestServer();
    const { body } = await call('POST', configMaps, configMap('a'));
    const future = Number(body.metadata.resourceVersion) + 50;
    const seen = await watch(`${configMaps}?watch=1&allowWatchBookmarks=true&resourceVersion=${future}`);
    const write = async (count: number, prefix: string) => {
      for (let i = 0; i < count; i++) await call('POST', configMaps, configMap(`${prefix}-${i}`));
      await clock.advance(60_000);
    };
    await write(10, 'early');
    expect(eventLines(seen)).toEqual([]);
    await write(50, 'late');
    expect(eventLines(seen).slice(-2)).toEqual(['ADDED late-49', 'BOOKMARK']);
    for (const { object } of seen.events) expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(future);
  });

  test('CACHE-25 that requests all objects of a future revision waits three seconds, then gets an error in the stream', async () => {
    const { watch, clock } = await startTestServer();
    const query = 'watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
    const opening = watch(`${configMaps}?${query}&resourceVersion=100000`);
    await clock.advance(3_000);
    const seen = await opening;
    expect(seen.ended).toBe(true);
    expect(seen.events).toMatchObject([
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          code: 504,
          reason: 'Timeout',
          message: expect.stringMatching(/^Timeout: Too large resource version: 100000, current: \d+$/),
          details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
        },
      },
    ]);
  });

  test('WATCH-17 of one object has no events of others', async () => {
    const { call, watch } = await startTestServer();
    const seen = await watch(`${configMaps}?watch=1&fieldSelector=metadata.name%3Da`);
    await call('POST', configMaps, configMap('b'));
    await call('POST', configMaps, configMap('a'));
    expect(eventLines(seen)).toEqual(['ADDED a']);
  });

  test('WATCH-08 WATCH-12 ends when the client disconnects, and when the server closes', async () => {
    const { server, call, watch } = await startTestServer();
    const gone = await watch(`${configMaps}?watch=1`);
    const open = await watch(`${configMaps}?watch=1`);
    gone.stop();
    await call('POST', configMaps, configMap('a'));
    expect(eventLines(gone)).toEqual([]);
    await server[Symbol.asyncDispose]();
    expect(open.ended).toBe(true);
  });
});

describe('a slow watcher', () => {
  test('CACHE-19 CACHE-20 OBS-05 is closed when the shared time budget is used up, and does not delay others', async () => {
    const metrics = new PrometheusMetrics();
    const lines: string[] = [];
    const logger = { ...silentLogger, info: (message: string) => void lines.push(message) };
    const { server, call, clock } = await startTestServer({ metrics, logger });
    const request = { method: 'GET', path: configMaps, query: 'watch=1', headers: { accept: 'application/json' } };
    const open = async (keepsUp: boolean) => {
      const received = { count: 0, ended: false };
      const { body } = await server.exchange(request);
      if (body.kind !== 'stream') throw new Error('no stream');
      body.stream.open({
        write: () => {
          received.count++;
          return keepsUp;
        },
        end: () => {
          received.ended = true;
        },
        onDrain: () => {},
        onClose: () => {},
      });
      return received;
    };
    const slow = await open(false);
    const quick = await open(true);
    for (let i = 0; i < 150; i++) await call('POST', configMaps, configMap(`cm-${i}`));
    await clock.advance(200);
    expect(slow).toEqual({ count: 1, ended: true });
    expect(quick).toEqual({ count: 150, ended: false });
    expect(metrics.render()).toContain('apiserver_terminated_watchers_total{group="",resource="configmaps"} 1\n');
    expect(lines).toEqual(['watch closed: its client is too slow']);
  });
});
