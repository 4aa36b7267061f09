import { type Channel, SpdyConnection } from '@coracle/apimachinery';
import { Deferred, seededRandom, VirtualClock } from '@coracle/base';
import { attach, createClient, exec, portForward, type TerminalSize, UpgradeRefused } from '@coracle/client';
import { CriError } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import type { CommandStreams, PortSink, StreamingRuntime } from './streaming-runtime.js';
import { StreamingServer } from './streaming-server.js';

const utf8 = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const where = { namespace: 'default', pod: 'web' };
const all = { containerId: 'c', stdin: true, stdout: true, stderr: true };

/**
 * A runtime that returns its input in upper case with the exit code in the command; port 80 echoes, other ports are
 * closed.
 */
const runtime: StreamingRuntime = {
  async exec({ cmd = [] }, { stdin, stdout, stderr, sizes }) {
    if (cmd[0] === 'nope') throw new CriError('Unknown', 'no such program');
    for await (const chunk of stdin) stdout(utf8(textOf(chunk).toUpperCase()));
    for await (const { width, height } of sizes) stdout(utf8(`${width}x${height}`));
    stderr(utf8('warned'));
    return Number(cmd[0] ?? 0);
  },
  async attach(_request, { stdout, signal }: CommandStreams) {
    stdout(utf8('attached'));
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
  async connectPort({ port }, toClient: PortSink) {
    if (port !== 80) throw new Error('connection refused');
    return { data: (chunk) => toClient.data(chunk), end: () => toClient.end() };
  },
};

function served() {
  const clock = new VirtualClock();
  return { clock, server: new StreamingServer({ runtime, clock, random: seededRandom(1), baseUrl: 'test:' }) };
}

/** A client whose channels all connect to this URL, in the protocols that the test allows. */
function clientOf(server: StreamingServer, url: string, allows: (protocol: string) => boolean) {
  return createClient({
    transport: {
      exchange: () => Promise.reject(new Error('none')),
      connect: async ({ protocols }) => {
        const allowed = protocols.filter(allows);
        if (allowed.length === 0) throw new UpgradeRefused(new Error('not in this way'));
        return (await server.connect(url, allowed)) as Channel;
      },
    },
  });
}

async function* once<T>(...items: T[]) {
  yield* items;
}

const spdyVersions = ['v4', 'v3', 'v2'].map((version) => `SPDY/3.1+${version}.channel.k8s.io`);

describe('commands', () => {
  const ways = ['v5.channel.k8s.io', ...spdyVersions, 'SPDY/3.1+channel.k8s.io'];
  test.each(ways)('are run over %s', async (way) => {
    const { server } = served();
    const { url = '' } = server.exec({ ...all, cmd: ['0'] });
    const output = { out: '', err: '' };
    const result = await exec(
      clientOf(server, url, (name) => name === way),
      {
        ...where,
        command: ['0'],
        stdin: once(utf8('abc'), utf8('def')),
        stdout: (chunk) => {
          output.out += textOf(chunk);
        },
        stderr: (chunk) => {
          output.err += textOf(chunk);
        },
      },
    );
    expect({ result, ...output }).toEqual({ result: { exitCode: 0 }, out: 'ABCDEF', err: 'warned' });
  });

  const failing = (way: string, command: string, tellsCode: boolean) => ({ way, command, tellsCode });
  test.each([
    failing('v5.channel.k8s.io', '7', true),
    failing('SPDY/3.1+v4.channel.k8s.io', '7', true),
    failing('SPDY/3.1+v3.channel.k8s.io', '7', false),
    failing('SPDY/3.1+v4.channel.k8s.io', 'nope', false),
    failing('v5.channel.k8s.io', 'nope', false),
  ])('that fail ($command) report it over $way', async ({ way, command, tellsCode }) => {
    const { server } = served();
    const { url = '' } = server.exec({ ...all, cmd: [command] });
    const running = exec(
      clientOf(server, url, (name) => name === way),
      {
        ...where,
        command: [command],
        stdin: once<Uint8Array>(),
        stdout() {},
        stderr() {},
      },
    );
    if (tellsCode) expect(await running).toEqual({ exitCode: Number(command) });
    else if (command === 'nope')
      await expect(running).rejects.toThrow(
        'Internal error occurred: error executing command in container: no such program',
      );
    else await expect(running).rejects.toThrow('command terminated with non-zero exit code: exit status 7');
  });

  test('with a terminal receive its size, and have one stream for output', async () => {
    const { server } = served();
    const { url = '' } = server.exec({ containerId: 'c', cmd: ['0'], stdin: true, stdout: true, tty: true });
    let out = '';
    await exec(
      clientOf(server, url, (name) => name.startsWith('SPDY/3.1+v4')),
      {
        ...where,
        command: ['0'],
        tty: true,
        stdin: once(utf8('x')),
        sizes: once<TerminalSize>({ width: 80, height: 24 }),
        stdout: (chunk) => {
          out += textOf(chunk);
        },
      },
    );
    expect(out).toBe('X80x24');
  });

  test('that are attached to end when the client disconnects', async () => {
    const { server } = served();
    const { url = '' } = server.attach({ containerId: 'c', stdout: true });
    const gone = new AbortController();
    const channel = (await server.connect(url, ['v5.channel.k8s.io'])) as Channel;
    const client = createClient({
      transport: { exchange: () => Promise.reject(new Error('none')), connect: async () => channel },
    });
    const message = new Promise<string>((resolve) => {
      void attach(client, {
        ...where,
        stdout: (chunk) => chunk.length > 0 && resolve(textOf(chunk)),
        signal: gone.signal,
      }).catch(() => undefined);
    });
    expect(await message).toBe('attached');
    channel[Symbol.dispose]();
  });

  test('are closed when the client does not open its streams', async () => {
    const { server, clock } = served();
    const { url = '' } = server.exec({ ...all, cmd: ['0'] });
    const channel = (await server.connect(url, ['SPDY/3.1+v4.channel.k8s.io'])) as Channel;
    let closed = false;
    const spdy = new SpdyConnection(channel, {
      role: 'client',
      onClose: () => {
        closed = true;
      },
    });
    spdy.open({ streamtype: 'error' });
    await clock.advance(29_000);
    expect(closed).toBe(false);
    await clock.advance(2_000);
    expect(closed).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

describe('addresses', () => {
  test('are valid once, and for a minute', async () => {
    const { server, clock } = served();
    const first = server.exec({ ...all }).url ?? '';
    expect(await server.connect(first, ['v5.channel.k8s.io'])).toHaveProperty('protocol', 'v5.channel.k8s.io');
    expect(await server.connect(first, ['v5.channel.k8s.io'])).toHaveProperty('status', 404);
    const second = server.exec({ ...all }).url ?? '';
    await clock.advance(61_000);
    expect(await server.connect(second, ['v5.channel.k8s.io'])).toHaveProperty('status', 404);
  });

  test('are limited in number', () => {
    const { server } = served();
    for (let count = 0; count < 1_000; count++) server.exec({ ...all });
    expect(() => server.exec({ ...all })).toThrow('maximum number of in-flight requests exceeded');
  });

  test.each([
    [{ stdout: true }, 'missing required container_id'],
    [{ containerId: 'c' }, 'one of stdin, stdout, or stderr must be set'],
    [{ containerId: 'c', stderr: true, tty: true }, 'tty and stderr cannot both be true'],
  ])('are refused for %j', (request, message) => {
    expect(() => served().server.exec(request)).toThrow(message);
  });

  test('a client without a common protocol receives the supported ones', async () => {
    const { server } = served();
    const { url = '' } = server.exec({ ...all });
    const answer = await server.connect(url, ['SPDY/3.1+v9.channel.k8s.io']);
    expect(answer).toMatchObject({
      status: 403,
      headers: {
        'x-accepted-stream-protocol-versions': [
          'v4.channel.k8s.io',
          'v3.channel.k8s.io',
          'v2.channel.k8s.io',
          'channel.k8s.io',
        ],
      },
    });
  });
});

describe('ports', () => {
  const ways = ['SPDY/3.1+portforward.k8s.io', 'v4.channel.k8s.io'];
  test.each(ways)('are forwarded over %s', async (way) => {
    const { server } = served();
    const { url = '' } = server.portForward({ podSandboxId: 's', port: [80] });
    let got = '';
    const received = new Deferred<void>();
    const connection = await portForward(
      clientOf(server, url, (name) => name === way),
      {
        ...where,
        port: 80,
        onData: (chunk) => {
          got += textOf(chunk);
          if (got === 'hello there') received.resolve();
        },
        onEnd: () => {},
      },
    );
    connection.send(utf8('hello '));
    connection.send(utf8('there'));
    await received.promise;
    connection[Symbol.dispose]();
    expect(got).toBe('hello there');
  });

  test.each(ways)('without a listener are reported over %s', async (way) => {
    const { server } = served();
    const { url = '' } = server.portForward({ podSandboxId: 's', port: [81] });
    const ended = new Promise<Error | undefined>((resolve) => {
      void portForward(
        clientOf(server, url, (name) => name === way),
        { ...where, port: 81, onData() {}, onEnd: resolve },
      );
    });
    expect((await ended)?.message).toBe('error forwarding port 81 to pod s, uid : connection refused');
  });

  test('the client closes first, then the pod', async () => {
    const { server } = served();
    const { url = '' } = server.portForward({ podSandboxId: 's' });
    const lines: (string | undefined)[] = [];
    const ended = new Deferred<void>();
    const connection = await portForward(
      clientOf(server, url, (name) => name.startsWith('SPDY')),
      {
        ...where,
        port: 80,
        onData: (chunk) => lines.push(textOf(chunk)),
        onEnd: (error) => {
          lines.push(error?.message);
          ended.resolve();
        },
      },
    );
    connection.send(utf8('last'));
    connection.end();
    await ended.promise;
    expect(lines).toEqual(['last', undefined]);
  });

  test('invalid ports, and streams without a pair, are rejected', async () => {
    const { server, clock } = served();
    const { url = '' } = server.portForward({ podSandboxId: 's' });
    const channel = (await server.connect(url, ['SPDY/3.1+portforward.k8s.io'])) as Channel;
    const spdy = new SpdyConnection(channel, { role: 'client' });
    const lines: string[] = [];
    const hear = (headers: Record<string, string>) =>
      spdy.open(headers).listen({
        data: (chunk) => lines.push(textOf(chunk)),
        end: () => lines.push('<end>'),
        reset: () => lines.push(`<reset ${headers['port']}>`),
      });
    hear({ streamtype: 'data', port: '0' });
    hear({ streamtype: 'data', port: '99999' });
    hear({ streamtype: 'other', port: '80' });
    hear({ streamtype: 'error', port: '80', requestid: '4' });
    await clock.advance(31_000);
    expect(lines).toEqual([
      '<reset 0>',
      '<reset 99999>',
      '<reset 80>',
      '(request=4) timed out waiting for streams',
      '<end>',
    ]);
  });
});
