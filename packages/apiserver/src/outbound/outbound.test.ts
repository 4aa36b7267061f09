import type { EndpointSlice, Service } from '@coracle/api';
import { type ApiResponse, acceptsValues } from '@coracle/apimachinery';
import { seededRandom, VirtualClock } from '@coracle/base';
import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryObjects } from '../memory-objects.fixture.js';
import type { DialAddress, Dialer, OutboundRequest } from './dialer.js';
import { Outbound } from './outbound.js';

const answer = (text: string): ApiResponse => ({
  status: 200,
  headers: {},
  body: { kind: 'bytes', chunks: [new TextEncoder().encode(text)] },
});
const get = (path: string): OutboundRequest => ({ method: 'GET', path, query: '', headers: {} });
const bounds = { timeoutMs: 1_000, maxBytes: 10 };

const service: Service = {
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { ports: [{ name: 'https', port: 443 }] },
};
const slice = (address: string): EndpointSlice => ({
  kind: 'EndpointSlice',
  metadata: { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'https', port: 8443 }],
  endpoints: [{ addresses: ['10.0.0.9'], conditions: { ready: false } }, { addresses: [address] }],
});

let dialed: DialAddress[];
let dialer: Dialer;
let objects: MemoryObjects;
const clock = new VirtualClock();
const outbound = () => new Outbound({ objects, clock, random: seededRandom(1), dialer });
const web = { kind: 'service', namespace: 'shop', name: 'web', port: 443 } as const;

beforeEach(() => {
  dialed = [];
  objects = new MemoryObjects();
  dialer = {
    request: async (to, { path }) => {
      dialed.push(to);
      return answer(path);
    },
    connect: () => Promise.reject(new Error('not asked for')),
  };
});

describe('a destination', () => {
  test('that is a URL is dialled as it is, with the path of the request below its own', async () => {
    const to = { kind: 'url', url: 'https://hooks.example.com:9443/base' } as const;
    const { bytes } = await outbound().ask(to, get('/x'), { ...bounds, maxBytes: 100 });
    expect([dialed, new TextDecoder().decode(bytes)]).toEqual([
      [{ scheme: 'https', host: 'hooks.example.com', port: 9443 }],
      '/base/x',
    ]);
  });

  test('that is a service is dialled at an endpoint that is ready, under its own name', async () => {
    objects.put(service);
    objects.put(slice('10.0.0.1'));
    await outbound().request(web, get('/x'));
    expect(dialed).toEqual([{ scheme: 'https', host: '10.0.0.1', port: 8443, serverName: 'web.shop.svc' }]);
  });

  test.each([
    ['is not there', () => {}, 'services "web" not found'],
    ['has no endpoints', () => objects.put(service), 'no endpoints available for service "web"'],
    [
      'has no such port',
      () => objects.put({ ...service, spec: { ports: [{ port: 80 }] } } as Service),
      'no service port 443 found for service "web"',
    ],
  ])('that %s reports it', async (_name, prepare, message) => {
    prepare();
    await expect(outbound().request(web, get('/x'))).rejects.toThrow(message);
  });

  test('with a handler in this process is not dialled', async () => {
    const out = outbound();
    const registration = out.register(web, {
      exchange: async ({ path, headers }) => answer(`${headers['host']}${path}`),
    });
    const { bytes } = await out.ask(web, get('/x'), { ...bounds, maxBytes: 100 });
    expect([new TextDecoder().decode(bytes), dialed]).toEqual(['web.shop.svc/x', []]);
    registration[Symbol.dispose]();
    await expect(out.request(web, get('/x'))).rejects.toThrow('not found');
  });

  test('with a handler in this process answers with a value as it is, not with a copy', async () => {
    const out = outbound();
    const value = { kind: 'APIResourceList' };
    using _ = out.register(web, {
      exchange: async ({ headers }) =>
        headers[acceptsValues] ? { status: 200, headers: {}, body: { kind: 'value', value } } : answer('{}'),
    });
    expect((await out.askForJson(web, get('/x'), bounds)).value).toBe(value);
  });
});

describe('a response', () => {
  const url = { kind: 'url', url: 'https://h' } as const;

  test('that is too large is refused', async () => {
    await expect(outbound().ask(url, get('/longer-than-that'), bounds)).rejects.toThrow(
      'the response body is larger than 10 bytes',
    );
  });

  test('ends the signal of its request only if it is aborted', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const { request } = dialer;
    dialer = {
      ...dialer,
      request: (to, sent) => {
        signals.push(sent.signal);
        return request(to, sent);
      },
    };
    await outbound().ask(url, get('/short'), bounds);
    await expect(outbound().ask(url, get('/longer-than-that'), bounds)).rejects.toThrow();
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, true]);
  });

  test('that is not received is aborted in time, even if the dialer ignores the signal', async () => {
    dialer = { ...dialer, request: () => new Promise(() => {}) };
    const answer = outbound().ask(url, get('/'), bounds);
    const outcome = expect(answer).rejects.toThrow('context deadline exceeded');
    await clock.advance(1_000);
    await outcome;
  });
});
