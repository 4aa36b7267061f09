import { connect, isIP, type Socket } from 'node:net';
import { messageOf } from '@coracle/base';

const version = 5;
const withoutAuthentication = 0;
const withPassword = 2;

/** Error codes of SOCKS proxies (RFC 1928, section 6). */
const refusals: Readonly<Record<number, string>> = {
  1: 'general SOCKS server failure',
  2: 'connection not allowed by ruleset',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'TTL expired',
  7: 'command not supported',
  8: 'address type not supported',
};

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** A connection to `target` through a SOCKS5 proxy. Names are resolved by the proxy. */
export async function socks5Connect(proxy: URL, target: Target): Promise<Socket> {
  const socket = connect(Number(proxy.port || 1080), proxy.hostname.replace(/^\[|\]$/g, ''));
  const reader = new Reader(socket);
  try {
    await greet(socket, reader, proxy);
    socket.write(Buffer.from([version, 1, 0, ...addressOf(target), target.port >> 8, target.port & 0xff]));
    const [, code = 1, , kind] = await reader.take(4);
    if (code !== 0) throw new Error(refusals[code] ?? `unknown code ${code}`);
    // The address that the proxy connects from is unused, but precedes the server's data.
    await reader.take((kind === 1 ? 4 : kind === 4 ? 16 : ((await reader.take(1))[0] ?? 0)) + 2);
    reader.giveBack();
    return socket;
  } catch (error) {
    socket.destroy();
    const reason = messageOf(error);
    throw new Error(`socks connect ${proxy.host}->${target.host}:${target.port}: ${reason}`, { cause: error });
  }
}

/** Negotiates the authentication method, and authenticates. */
async function greet(socket: Socket, reader: Reader, { username, password }: URL): Promise<void> {
  const methods = username ? [withoutAuthentication, withPassword] : [withoutAuthentication];
  socket.write(Buffer.from([version, methods.length, ...methods]));
  const [serverVersion, method] = await reader.take(2);
  if (serverVersion !== version) throw new Error(`unexpected protocol version ${serverVersion}`);
  if (method === withoutAuthentication) return;
  if (method !== withPassword || !username) throw new Error('no acceptable authentication methods');
  const name = Buffer.from(decodeURIComponent(username));
  const secret = Buffer.from(decodeURIComponent(password));
  socket.write(Buffer.from([1, name.length, ...name, secret.length, ...secret]));
  const [, status] = await reader.take(2);
  if (status !== 0) throw new Error('username/password authentication failed');
}

function addressOf({ host }: Target): number[] {
  if (isIP(host) === 4) return [1, ...host.split('.').map(Number)];
  const name = Buffer.from(host);
  // IPv6 addresses are sent as text, which proxies accept.
  return [3, name.length, ...name];
}

/** Reads an exact number of bytes from a socket. */
class Reader {
  readonly #socket: Socket;
  readonly #onData = (chunk: Buffer) => this.#add(chunk);
  readonly #onEnd = (error?: Error) => this.#fail(error instanceof Error ? error : new Error('the proxy hung up'));
  #buffer = Buffer.alloc(0);
  #failure: Error | undefined;
  #waiting: { readonly size: number; resolve(bytes: Buffer): void; reject(error: Error): void } | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#onData).on('error', this.#onEnd).on('end', this.#onEnd);
  }

  take(size: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { size, resolve, reject };
      this.#answer();
    });
  }

  /** Remaining data is from the server, and is passed to the next reader of the socket. */
  giveBack(): void {
    this.#socket.off('data', this.#onData).off('error', this.#onEnd).off('end', this.#onEnd).pause();
    if (this.#buffer.length > 0) this.#socket.unshift(this.#buffer);
  }

  #add(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    this.#answer();
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.#answer();
  }

  #answer(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    if (this.#buffer.length >= waiting.size) {
      this.#waiting = undefined;
      const taken = this.#buffer.subarray(0, waiting.size);
      this.#buffer = this.#buffer.subarray(waiting.size);
      waiting.resolve(taken);
    } else if (this.#failure) {
      this.#waiting = undefined;
      waiting.reject(this.#failure);
    }
  }
}
