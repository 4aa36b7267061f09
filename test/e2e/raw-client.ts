import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { connect, type Socket } from 'node:net';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { Status } from '@coracle/apimachinery';
import { parseKubeconfig } from '@coracle/client';
import type { RunningCluster } from './running-cluster.js';

export interface Message {
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent without the administrator's certificate. */
  readonly anonymous?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly body: Partial<Status>;
}

/** A client of a cluster's administrator that sends unusual or invalid data, each time on a new connection. */
export class RawClient {
  readonly #cluster: RunningCluster;
  readonly #identity: { readonly cert: Buffer; readonly key: Buffer; readonly ca: Buffer };

  readonly #plain = new WeakMap<Socket, Socket>();

  constructor(cluster: RunningCluster) {
    this.#cluster = cluster;
    this.#identity = identityOf(cluster.kubeconfig);
  }

  /** The answer to a message. What is not JSON is its message. */
  async send({ method = 'GET', path, body, headers = {}, anonymous }: Message): Promise<Answer> {
    const request = this.#request(path, { method, headers, ...(anonymous && { cert: undefined, key: undefined }) });
    request.end(body);
    const [response] = await once(request, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return { status: response.statusCode, body: isJson ? JSON.parse(text) : { message: text } };
  }

  /** Sends megabytes, as many as the server takes, and says how many there are or not. */
  async sendMegabytes(path: string, count: number, { announced = false } = {}): Promise<Answer> {
    const megabyte = Buffer.alloc(2 ** 20, 'x');
    const length = announced ? { 'content-length': String(count * megabyte.length) } : {};
    const request = this.#request(path, { method: 'POST', headers: { 'content-type': 'application/json', ...length } });
    const answered = once(request, 'response');
    let hasFailed = false;
    request.on('error', () => {
      hasFailed = true;
    });
    let isAnswered = false;
    void answered.then(() => {
      isAnswered = true;
    });
    for (let sent = 0; sent < count && !hasFailed && !isAnswered; sent++) {
      if (!request.write(megabyte)) await Promise.race([once(request, 'drain'), answered]);
    }
    const [response] = await answered;
    let text = '';
    for await (const chunk of response) {
      text += chunk;
      if (text.endsWith('}\n')) break;
    }
    request.destroy();
    return { status: response.statusCode, body: JSON.parse(text) };
  }

  /** A connection before the handshake. Its errors are ignored. */
  async connectPlain(): Promise<Socket> {
    const socket = connect({ port: this.#cluster.port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  /** A connection after the handshake. */
  async connect(protocol: 'http/1.1' | 'h2' = 'http/1.1'): Promise<TLSSocket> {
    const plain = await this.connectPlain();
    const socket = tlsConnect({ socket: plain, ALPNProtocols: [protocol], ...this.#identity });
    this.#plain.set(socket, plain);
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    return socket;
  }

  /** Ends a connection without a word to TLS and to TCP: whatever comes for it next is answered with a reset. */
  cutOff(socket: Socket): void {
    (this.#plain.get(socket) ?? socket).resetAndDestroy();
  }

  /** A watch that has started and is not read any further. */
  async stuckWatch(path: string): Promise<TLSSocket> {
    const socket = await this.connect();
    socket.write(`GET ${path}?watch=1 HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(socket, 'readable');
    socket.pause();
    return socket;
  }

  #request(path: string, options: RequestOptions) {
    return httpsRequest(`${this.#cluster.url}${path}`, { agent: false, ...this.#identity, ...options });
  }
}

/** All data until the other side closes, or the expected text arrives. */
export async function readToEnd(socket: Socket, lastWords?: string): Promise<string> {
  let text = '';
  await new Promise<void>((resolve) => {
    void closed(socket).then(resolve);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (lastWords !== undefined && text.includes(lastWords)) resolve();
    });
  });
  socket.destroy();
  return text;
}

/** Resolves when a connection has ended, in whatever way. */
export async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

function identityOf(kubeconfig: string): { cert: Buffer; key: Buffer; ca: Buffer } {
  const { clusters = [], users = [] } = parseKubeconfig(readFileSync(kubeconfig, 'utf8'));
  const decode = (text: string | undefined) => Buffer.from(text ?? '', 'base64');
  return {
    ca: decode(clusters[0]?.cluster['certificate-authority-data']),
    cert: decode(users[0]?.user['client-certificate-data']),
    key: decode(users[0]?.user['client-key-data']),
  };
}
