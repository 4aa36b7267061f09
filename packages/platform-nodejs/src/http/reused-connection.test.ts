import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { Duplex } from 'node:stream';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { serveTests } from './https-server.fixture.js';

const { server, pki } = await serveTests({
  exchange: async ({ path, body }) => {
    const length = body?.kind === 'bytes' ? body.bytes.length : 0;
    const answer = path === '/echo' ? new TextEncoder().encode(`got ${length}`) : new Uint8Array(Number(path.slice(1)));
    return { status: 200, headers: {}, body: { kind: 'bytes', chunks: [answer] } };
  },
});

interface Connection {
  readonly secure: TLSSocket;
  /** Sends each text as a separate TLS record, all of them in one TCP segment. */
  send(records: readonly string[]): Promise<void>;
  /** Resolves when a response with a body of that length has arrived, with the beginning of the body. */
  answered(bytes: number): Promise<string>;
}

/** A TCP connection that can hold back what TLS writes to it. */
function heldConnection() {
  const plain = connectPlain({ host: '127.0.0.1', port: server.port, noDelay: true });
  let held: Buffer[] | undefined;
  const duplex = new Duplex({
    read: () => void plain.resume(),
    write: (chunk: Buffer, _encoding, done) => {
      if (held) held.push(chunk);
      else plain.write(chunk);
      done();
    },
    destroy: (error, done) => {
      plain.destroy();
      done(error);
    },
  });
  plain.on('data', (chunk) => {
    if (!duplex.push(chunk)) plain.pause();
  });
  plain.on('close', () => duplex.destroy());
  plain.on('error', () => undefined);
  return {
    duplex,
    hold: () => {
      held = [];
    },
    release: () => {
      plain.write(Buffer.concat(held ?? []));
      held = undefined;
    },
  };
}

async function connect(): Promise<Connection> {
  const { duplex, hold, release } = heldConnection();
  const secure = tlsConnect({
    socket: duplex,
    ca: pki.ca.certificate,
    ALPNProtocols: ['http/1.1'],
    servername: 'localhost',
  });
  await once(secure, 'secureConnect');
  const send = async (records: readonly string[]) => {
    hold();
    for (const record of records) await new Promise((resolve) => secure.write(record, resolve));
    release();
  };
  const answered = (bytes: number) =>
    new Promise<string>((resolve, reject) => {
      let chunks: Buffer[] = [];
      let length = 0;
      let head = 0;
      const take = (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (head === 0) {
          chunks = [Buffer.concat(chunks)];
          head = (chunks[0] as Buffer).indexOf('\r\n\r\n') + 4;
          if (head < 4) head = 0;
        }
        if (head === 0 || length < head + bytes) return;
        const all = Buffer.concat(chunks);
        secure.off('data', take);
        secure.pause();
        if (all.length > head + bytes) secure.unshift(all.subarray(head + bytes));
        resolve(all.toString('latin1', head, head + Math.min(bytes, 100)));
      };
      secure.once('close', () => reject(new Error('the connection was closed without an answer')));
      secure.on('data', take);
      secure.resume();
    });
  return { secure, send, answered };
}

const get = (size: number) => `GET /${size} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (length: number) => `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

/** The TLS records of a request of 200 bytes. */
const splits: Readonly<Record<string, (text: string) => string[]>> = {
  'in one record': (text) => [text],
  'with head and body in two': (text) => [text.slice(0, -200), text.slice(-200)],
  'with the body in many': (text) => [text.slice(0, -200), ...(text.slice(-200).match(/.{1,20}/gs) ?? [])],
  'cut within head and body': (text) => [text.slice(0, 20), text.slice(20, -100), text.slice(-100)],
};

describe('a POST on a connection of HTTP/1.1 that has been used', () => {
  const sizes = [1, 15, 16, 17, 20, 24, 32, 48, 64, 100, 128, 256].map((kilobytes) => kilobytes * 1024);

  test.each(Object.entries(splits))('%s is answered, however long the answer before was', async (_name, split) => {
    for (const size of sizes) {
      for (let attempt = 0; attempt < 5; attempt++) {
        const connection = await connect();
        connection.secure.write(get(size));
        await connection.answered(size);
        await connection.send(split(post(200) + 'x'.repeat(200)));
        expect(await connection.answered(7), `${size}`).toBe('got 200');
        connection.secure.destroy();
      }
    }
  });

  test.each(Object.entries(splits))('%s is answered after an answer that is still being read', async (_name, split) => {
    const size = 16 * 1024 * 1024;
    const connection = await connect();
    connection.secure.pause();
    connection.secure.write(get(size));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await connection.send(split(post(200) + 'x'.repeat(200)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await connection.answered(size);
    expect(await connection.answered(7)).toBe('got 200');
    connection.secure.destroy();
  });
});
