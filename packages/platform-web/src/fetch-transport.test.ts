import { refs } from '@coracle/api';
import { createClient, waitFor } from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import { serveHttp } from '@coracle/platform-nodejs';
import { describeClient } from '@coracle/testing';
import { describe, expect, test } from 'vitest';
import { createFetchTransport, type FetchTransportOptions } from './fetch-transport.js';
import { webClock } from './web-clock.js';
import { createWebRandom } from './web-random.js';
import type { WebSocketConstructor, WebSocketLike } from './web-socket-connect.js';

const staticTokens = 'let-me-in,admin,1,"system:masters"\n';

/** A cluster over plain HTTP: `fetch` trusts no authority that a test has made. */
async function served() {
  const cluster: Cluster = await startCluster({ listen: false, nodes: 0, staticTokens });
  let port = 0;
  const serving = await serveHttp({ port: 0, onListening: (listening) => (port = listening) })(
    cluster.controlPlane.server.exchange,
  );
  return {
    server: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      await serving[Symbol.asyncDispose]();
      await cluster.stop();
    },
  };
}

describeClient('over fetch', async () => {
  const { server, [Symbol.asyncDispose]: stop } = await served();
  return {
    client: createClient({ transport: createFetchTransport({ server, token: 'let-me-in' }) }),
    clock: webClock,
    random: createWebRandom(),
    namespace: 'default',
    eventually: async (check) => {
      await waitFor(async () => (await check()) || undefined, { clock: webClock, timeoutMs: 15_000, intervalMs: 20 });
    },
    passing: (promise) => Promise.resolve(promise),
    [Symbol.asyncDispose]: stop,
  };
});

describe('requests over fetch', () => {
  interface Sent {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  }

  function recording(options: FetchTransportOptions = {}) {
    const sent: Sent[] = [];
    const send = async (url: string | URL | Request, init?: RequestInit) => {
      sent.push({ url: String(url), headers: init?.headers as Record<string, string> });
      return Response.json({ kind: 'PodList', items: [] });
    };
    const transport = createFetchTransport({ server: 'https://a.example/base', fetch: send, ...options });
    return { sent, client: createClient({ transport }) };
  }

  test('keep the path of the server, and have no User-Agent', async () => {
    const { sent, client } = recording();
    await client.resource(refs.pods, 'default').list({ limit: 1 });
    expect(sent).toEqual([
      {
        url: 'https://a.example/base/api/v1/namespaces/default/pods?limit=1',
        headers: { accept: 'application/json' },
      },
    ]);
  });

  test('show the token of the moment', async () => {
    const tokens = ['first', 'second'];
    const { sent, client } = recording({ token: async () => tokens.shift() });
    await client.pods().list();
    await client.pods().list();
    expect(sent.map(({ headers }) => headers['authorization'])).toEqual(['Bearer first', 'Bearer second']);
  });

  test('need a server where there is no page', () => {
    expect(() => createFetchTransport()).toThrow('no page defines the server');
  });
});

describe('streams over WebSocket', () => {
  /** Opens at once, in the protocol that was requested last. */
  class Socket implements WebSocketLike {
    static readonly opened: Socket[] = [];
    readonly protocol: string;
    readonly listeners = new Map<string, (event: never) => void>();
    binaryType = 'blob';
    closed = false;
    readonly url: string;
    readonly protocols: string[];
    constructor(url: string, protocols: string[]) {
      this.url = url;
      this.protocols = protocols;
      this.protocol = protocols.at(-1) ?? '';
      Socket.opened.push(this);
      queueMicrotask(() => this.tell(url.includes('refused') ? 'close' : 'open', {}));
    }
    send(): void {}
    close(): void {
      this.closed = true;
    }
    addEventListener(type: string, listener: (event: never) => void): void {
      this.listeners.set(type, listener);
    }
    tell(type: string, event: unknown): void {
      this.listeners.get(type)?.(event as never);
    }
  }

  const connect = (path: string) =>
    createFetchTransport({
      server: 'https://a.example',
      token: 'let-me-in',
      WebSocket: Socket as WebSocketConstructor,
    }).connect?.({ path, query: 'command=ls', headers: {}, protocols: ['v5.channel.k8s.io'] });

  test('show the token as a sub-protocol, because pages cannot set headers', async () => {
    const channel = await connect('/exec');
    const socket = Socket.opened.at(-1);
    expect({ url: socket?.url, protocols: socket?.protocols, protocol: channel?.protocol }).toEqual({
      url: 'wss://a.example/exec?command=ls',
      protocols: ['base64url.bearer.authorization.k8s.io.bGV0LW1lLWlu', 'v5.channel.k8s.io'],
      protocol: 'v5.channel.k8s.io',
    });
    const events: unknown[] = [];
    channel?.onMessage((message) => events.push(message));
    socket?.tell('message', { data: new Uint8Array([1, 2]).buffer });
    expect(events).toEqual([new Uint8Array([1, 2])]);
    channel?.[Symbol.dispose]();
    expect(socket?.closed).toBe(true);
  });

  test('that the server refuses fail', async () => {
    await expect(connect('/refused')).rejects.toThrow('the server opened no stream at /refused');
  });
});
