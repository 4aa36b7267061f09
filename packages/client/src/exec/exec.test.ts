import { execFileSync } from 'node:child_process';
import type { Channel, Exchange } from '@coracle/apimachinery';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClient } from '../create-client.js';
import type { ConnectRequest } from '../transport.js';
import { copyFromPod, copyToPod } from './copy-files.js';
import { podLogLines } from './pod-logs.js';
import { portForward } from './port-forward.js';
import { exec } from './remote-command.js';
import { readTar, type TarEntry, writeTar } from './tar.js';

const utf8 = (text: string) => new TextEncoder().encode(text);
const where = { namespace: 'default', pod: 'web' };
const success = '{"kind":"Status","status":"Success"}';

/** The other end of a channel, driven by a test. */
class Peer {
  readonly header: Uint8Array[] = [];
  request: ConnectRequest | undefined;
  #tell: (message: Uint8Array) => void = () => {};
  #close: (code: number, reason: string) => void = () => {};
  onHeard: (message: Uint8Array) => void = () => {};
  protocol = 'v5.channel.k8s.io';

  readonly connect = async (request: ConnectRequest): Promise<Channel> => {
    this.request = request;
    return {
      protocol: this.protocol,
      send: (message) => {
        this.header.push(message);
        this.onHeard(message);
      },
      onMessage: (listener) => void (this.#tell = listener),
      onClose: (listener) => {
        this.#close = listener;
        queueMicrotask(() => this.opened());
      },
      [Symbol.dispose]: () => this.#close(1000, ''),
    };
  };

  opened: () => void = () => {};

  say(channel: number, text: string | Uint8Array): void {
    const bytes = typeof text === 'string' ? utf8(text) : text;
    this.#tell(Uint8Array.of(channel, ...bytes));
  }

  close(code = 1000): void {
    this.#close(code, '');
  }

  client() {
    return createClient({ transport: { exchange: () => Promise.reject(new Error('none')), connect: this.connect } });
  }
}

const collector = () => {
  const decoder = new TextDecoder();
  const got = { text: '' };
  return { got, write: (chunk: Uint8Array) => void (got.text += decoder.decode(chunk)) };
};

describe('exec', () => {
  test('EXEC-05 EXEC-06 EXEC-17 carries input, output, errors and the exit code on their channels', async () => {
    const peer = new Peer();
    peer.onHeard = (message) => {
      if (message[0] !== 255) return;
      peer.say(1, 'out');
      peer.say(2, 'err');
      peer.say(
        3,
        '{"kind":"Status","status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"7"}]}}',
      );
      peer.close();
    };
    async function* stdin() {
      yield utf8('hello');
    }
    const [out, err] = [collector(), collector()];
    const result = await exec(peer.client(), {
      ...where,
      container: 'app',
      command: ['sh', '-c', 'a b'],
      stdin: stdin(),
      stdout: out.write,
      stderr: err.write,
    });
    expect({
      result,
      out: out.got.text,
      err: err.got.text,
      messages: peer.header.map((message) => [...message]),
    }).toEqual({
      result: { exitCode: 7 },
      out: 'out',
      err: 'err',
      messages: [
        [0, ...utf8('hello')],
        [255, 0],
      ],
    });
    expect(peer.request).toMatchObject({
      path: '/api/v1/namespaces/default/pods/web/exec',
      query: 'command=sh&command=-c&command=a%20b&container=app&stdin=true&stdout=true&stderr=true',
      protocols: ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
    });
  });

  const endings = [
    { name: 'success', status: success, outcome: { exitCode: 0 } },
    {
      name: 'a failure to run it',
      status: '{"kind":"Status","status":"Failure","reason":"InternalError","message":"no such file","code":500}',
      outcome: 'no such file',
    },
    { name: 'bare text of an old server', status: 'container not found', outcome: 'container not found' },
    { name: 'a cut', status: '', outcome: 'the connection closed (1006 ) before the command ended' },
  ];

  test.each(endings)('ends with $name', async ({ status, outcome }) => {
    const peer = new Peer();
    peer.opened = () => {
      peer.say(3, status);
      peer.close(status === '' ? 1006 : 1000);
    };
    const result = await exec(peer.client(), { ...where, command: ['x'], stdout: () => {} }).catch(
      (error: Error) => error.message,
    );
    expect(result).toEqual(outcome);
  });

  test('sends the size of the terminal, and requests no standard error with one', async () => {
    const peer = new Peer();
    peer.onHeard = () => {
      peer.say(3, success);
      peer.close();
    };
    async function* sizes() {
      yield { width: 80, height: 24 };
    }
    await exec(peer.client(), {
      ...where,
      command: ['sh'],
      tty: true,
      stdout: () => {},
      stderr: () => {},
      sizes: sizes(),
    });
    expect(peer.header.map((message) => new TextDecoder().decode(message))).toEqual(['\u0004{"Width":80,"Height":24}']);
    expect(peer.request?.query).toBe('command=sh&stdout=true&tty=true');
  });

  test('a transport without streams says so', async () => {
    const client = createClient({ transport: { exchange: () => Promise.reject(new Error('none')) } });
    await expect(exec(client, { ...where, command: ['x'] })).rejects.toThrow('cannot open streams');
  });
});

describe('port-forward', () => {
  test('EXEC-15 passes the number of the port over and carries data both ways', async () => {
    const peer = new Peer();
    const got = collector();
    let ended: unknown = 'not yet';
    const connection = await portForward(peer.client(), {
      ...where,
      port: 8080,
      onData: got.write,
      onEnd: (error) => (ended = error),
    });
    peer.say(0, Uint8Array.of(0x90, 0x1f));
    peer.say(1, Uint8Array.of(0x90, 0x1f));
    peer.say(0, 'answer');
    connection.send(utf8('question'));
    peer.close();
    expect({
      got: got.got.text,
      sent: peer.header.map((message) => [...message]),
      ended,
      query: peer.request?.query,
    }).toEqual({
      got: 'answer',
      sent: [[0, ...utf8('question')]],
      ended: undefined,
      query: 'ports=8080',
    });
  });

  test('ends with the error of the node', async () => {
    const peer = new Peer();
    let ended: Error | undefined;
    await portForward(peer.client(), { ...where, port: 1, onData: () => {}, onEnd: (error) => (ended = error) });
    peer.say(1, Uint8Array.of(1, 0));
    peer.say(1, 'connection refused');
    peer.close();
    expect(ended?.message).toBe('connection refused');
  });
});

describe('logs', () => {
  test('are read line by line, for any chunks, and leaving the loop ends the request', async () => {
    let closed = false;
    const exchange: Exchange = async (request) => ({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: {
        kind: 'stream',
        stream: {
          open: (sink) => {
            expect(request.query).toBe('container=app&follow=true&tailLines=2');
            sink.onClose(() => (closed = true));
            for (const part of ['one\ntw', 'o\nthr']) sink.write(utf8(part));
          },
        },
      },
    });
    const client = createClient({ transport: { exchange } });
    const lines: string[] = [];
    for await (const line of podLogLines(client, { ...where, container: 'app', follow: true, tailLines: 2 })) {
      lines.push(line);
      if (lines.length === 2) break;
    }
    expect({ lines, closed }).toEqual({ lines: ['one', 'two'], closed: true });
  });

  test('that are not available fail with the server’s error', async () => {
    const exchange: Exchange = async () => ({
      status: 400,
      headers: { 'content-type': 'application/json' },
      body: {
        kind: 'bytes',
        chunks: [
          utf8(
            '{"kind":"Status","status":"Failure","reason":"BadRequest","message":"container is waiting to start","code":400}',
          ),
        ],
      },
    });
    const lines = podLogLines(createClient({ transport: { exchange } }), where)[Symbol.asyncIterator]();
    await expect(lines.next()).rejects.toThrow('container is waiting to start');
  });
});

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const joined = (chunks: Iterable<Uint8Array>) => new Uint8Array(Buffer.concat([...chunks]));

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('archives', () => {
  const entries: TarEntry[] = [
    { name: 'folder/', type: 'directory', mode: 0o755, modifiedAtSeconds: 1 },
    { name: 'folder/hello.txt', type: 'file', mode: 0o600, modifiedAtSeconds: 2, data: utf8('hello\n') },
    {
      name: `folder/${'long'.repeat(60)}`,
      type: 'file',
      mode: 0o644,
      modifiedAtSeconds: 3,
      data: new Uint8Array(1_000).fill(7),
    },
    { name: 'folder/link', type: 'symlink', mode: 0o777, modifiedAtSeconds: 4, target: 'hello.txt' },
    { name: 'folder/empty', type: 'file', mode: 0o644, modifiedAtSeconds: 5, data: new Uint8Array() },
  ];

  test('read back as they were written, in pieces of any size', async () => {
    const archive = joined(writeTar(entries));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3_000 }), async (size) => {
        expect(await all(readTar(inPieces(archive, size)))).toEqual(entries);
      }),
      { numRuns: 20 },
    );
  });

  test('are read by tar, and tar’s archives are read', async () => {
    const archive = joined(writeTar(entries));
    expect(execFileSync('tar', ['-tf', '-'], { input: archive }).toString().split('\n').filter(Boolean)).toEqual(
      entries.map(({ name }) => name),
    );
    const theirs = execFileSync('tar', ['-cf', '-', '-C', new URL('.', import.meta.url).pathname, 'tar.ts']);
    expect((await all(readTar(inPieces(theirs, 700)))).map(({ name, type }) => [name, type])).toEqual([
      ['tar.ts', 'file'],
    ]);
  });

  test('that break off are an error', async () => {
    const archive = joined(writeTar(entries)).subarray(0, 1_100);
    await expect(all(readTar(inPieces(archive, 100)))).rejects.toThrow('middle of an entry');
  });
});

describe('copy', () => {
  test('to a pod sends an archive to tar, and from a pod reads one', async () => {
    const peer = new Peer();
    peer.onHeard = (message) => {
      if (message[0] !== 255) return;
      peer.say(3, success);
      peer.close();
    };
    const entries: TarEntry[] = [{ name: 'a', type: 'file', mode: 0o644, modifiedAtSeconds: 0, data: utf8('x') }];
    await copyToPod(peer.client(), { ...where, path: '/tmp', entries });
    const sent = joined(peer.header.filter((message) => message[0] === 0).map((message) => message.subarray(1)));
    expect(peer.request?.query).toContain('command=tar&command=-xmf&command=-&command=-C&command=%2Ftmp');
    expect(await all(readTar(inPieces(sent, 512)))).toEqual(entries);

    const source = new Peer();
    source.opened = () => {
      source.say(1, sent);
      source.say(3, success);
      source.close();
    };
    expect(await all(copyFromPod(source.client(), { ...where, path: '/tmp/a' }))).toEqual(entries);
    expect(source.request?.query).toContain('command=tar&command=cf&command=-&command=-C&command=%2Ftmp&command=a');
  });

  test('fails with the error of tar', async () => {
    const peer = new Peer();
    peer.opened = () => {
      peer.say(2, 'tar: /none: No such file');
      peer.say(
        3,
        '{"kind":"Status","status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"2"}]}}',
      );
      peer.close();
    };
    await expect(all(copyFromPod(peer.client(), { ...where, path: '/none' }))).rejects.toThrow(
      'tar: /none: No such file',
    );
  });
});
