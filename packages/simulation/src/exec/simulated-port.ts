import type { Pod } from '@coracle/api';
import type { PortSink } from '@coracle/kubelet';

/** The pod and port of a connection. */
export interface SimulatedPort {
  readonly pod: string;
  readonly namespace: string;
  readonly port: number;
}

/** No request line is longer. */
const longestLine = 8 * 1024;

/**
 * Serves the ports of simulated pods: HTTP requests are answered with a page that names the pod, other data is echoed.
 */
export function answerPort(at: SimulatedPort, toClient: PortSink): PortSink {
  return new PortAnswer(at, toClient);
}

/** The ports that the pod's containers declare; all, if they declare none. */
export function listens(pod: Pod | undefined, port: number): boolean {
  const declared = (pod?.spec?.containers ?? []).flatMap(({ ports = [] }) => ports);
  return declared.length === 0 || declared.some(({ containerPort }) => containerPort === port);
}

class PortAnswer implements PortSink {
  readonly #at: SimulatedPort;
  readonly #toClient: PortSink;
  /** The received part of an HTTP request; `undefined` once it is clear that it is not one. */
  #request: string | undefined = '';
  /** Remaining bytes of a request's body, which is ignored. */
  #body = 0;
  #ended = false;

  constructor(at: SimulatedPort, toClient: PortSink) {
    this.#at = at;
    this.#toClient = toClient;
  }

  data(chunk: Uint8Array): void {
    if (this.#ended) return;
    if (this.#request === undefined) this.#toClient.data(chunk);
    else this.#hear(this.#request + new TextDecoder('latin1').decode(chunk));
  }

  end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    // A client that has disconnected gets nothing; one that has only ended its side gets the rest.
    if (!error && this.#request) this.#toClient.data(bytesOf(this.#request));
    this.#toClient.end();
  }

  #hear(text: string): void {
    let rest = text;
    for (;;) {
      const skipped = Math.min(this.#body, rest.length);
      rest = rest.slice(skipped);
      this.#body -= skipped;
      const headEnd = rest.indexOf('\r\n\r\n');
      if (rest === '' || (headEnd < 0 && mayBeHttp(rest))) break;
      const head = headEnd < 0 ? undefined : requestIn(rest.slice(0, headEnd));
      if (!head) {
        this.#echo(rest);
        return;
      }
      rest = rest.slice(headEnd + 4);
      this.#body = head.bodyBytes;
      this.#toClient.data(this.#page(head));
      if (!head.keepAlive) {
        this.end();
        return;
      }
    }
    this.#request = rest;
  }

  #echo(text: string): void {
    this.#request = undefined;
    this.#toClient.data(bytesOf(text));
  }

  #page({ method, target, keepAlive }: HttpRequest): Uint8Array {
    const { pod, namespace, port } = this.#at;
    const body = `This is the simulated pod ${namespace}/${pod}, port ${port}.\n${method} ${target}\n`;
    const head = [
      'HTTP/1.1 200 OK',
      'Content-Type: text/plain; charset=utf-8',
      `Content-Length: ${body.length}`,
      `Connection: ${keepAlive ? 'keep-alive' : 'close'}`,
    ];
    return bytesOf(`${head.join('\r\n')}\r\n\r\n${method === 'HEAD' ? '' : body}`);
  }
}

interface HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly keepAlive: boolean;
  readonly bodyBytes: number;
}

function mayBeHttp(text: string): boolean {
  return text.length <= longestLine && /^[A-Z]{1,10}($| [^\r\n]*(\r|$))/.test(text);
}

function requestIn(head: string): HttpRequest | undefined {
  const [, method = '', target = '', minor] = /^([A-Z]+) (\S+) HTTP\/1\.([01])(?:\r\n|$)/.exec(head) ?? [];
  if (method === '') return undefined;
  const connection = /\r\nconnection: *([^\r\n]*)/i.exec(head)?.[1]?.toLowerCase();
  return {
    method,
    target,
    keepAlive: minor === '1' ? connection !== 'close' : connection === 'keep-alive',
    bodyBytes: Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0),
  };
}

/** The text was decoded as Latin-1, in which every byte is a character. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}
