import { Agent, request } from 'node:https';
import type { RunningCluster } from '../running-cluster.js';

export interface TokenAnswer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every kind
  readonly body: any;
}

export interface TokenRequest {
  readonly token?: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** As they go over the wire: names and values in turn. */
  readonly rawHeaders?: readonly string[];
}

/** Sends requests with bearer tokens over a few connections that stay open. */
export class TokenClient implements Disposable {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16, rejectUnauthorized: false });

  constructor(cluster: Pick<RunningCluster, 'port'>) {
    this.#port = cluster.port;
  }

  send(
    method: string,
    path: string,
    { token, body, contentType, rawHeaders }: TokenRequest = {},
  ): Promise<TokenAnswer> {
    const data = body === undefined ? undefined : JSON.stringify(body);
    const headers = [
      ...['host', `127.0.0.1:${this.#port}`],
      ...(token === undefined ? [] : ['authorization', `Bearer ${token}`]),
      ...(data === undefined ? [] : ['content-type', contentType ?? 'application/json']),
      ...(data === undefined ? [] : ['content-length', String(Buffer.byteLength(data))]),
      ...(rawHeaders ?? []),
    ];
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.#port, method, path, headers, agent: this.#agent };
      const outgoing = request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, text, body: parsed(text) });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(data);
    });
  }

  /** Fails unless the response is successful. */
  async must(method: string, path: string, options: TokenRequest = {}): Promise<TokenAnswer> {
    const answer = await this.send(method, path, options);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
