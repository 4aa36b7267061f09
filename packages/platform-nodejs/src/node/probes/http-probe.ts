import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { HTTPGetAction } from '@coracle/api';
import { httpProbeResult, mostRedirects, nextProbeUrl, type ProbeResult } from '@coracle/kubelet';

export interface HttpProbe {
  readonly action: HTTPGetAction;
  readonly host: string;
  readonly port: number;
  /** Timeout; none by default. */
  readonly timeoutMs?: number;
  /** `kube-probe/1.36`, or `kube-lifecycle/1.36` for lifecycle hooks. */
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

/** Maximum length of a response in an event. */
const mostBodyBytes = 10 * 1024;

/** Certificates are not verified. */
export async function probeHttp(probe: HttpProbe): Promise<ProbeResult> {
  const answer = await askHttp(probe);
  return 'problem' in answer ? { outcome: 'failure', output: answer.problem } : httpProbeResult(answer);
}

/** The response to a lifecycle hook may have any status. Throws if there is none. */
export async function callHttp(hook: HttpProbe): Promise<void> {
  const answer = await askHttp(hook);
  if ('problem' in answer) throw new Error(answer.problem);
}

/** Follows redirects on the same host. */
async function askHttp(probe: HttpProbe): Promise<Answer> {
  const { action, host, port } = probe;
  const scheme = (action.scheme ?? 'HTTP').toLowerCase();
  const path = action.path ?? '/';
  let url = new URL(`${scheme}://${bracketed(host)}:${port}${path.startsWith('/') ? path : `/${path}`}`);
  const first = url;
  for (let count = 0; count <= mostRedirects; count++) {
    const answer = await get(url, probe);
    if ('problem' in answer) return { problem: `Get "${first.href}": ${answer.problem}` };
    // A redirect to another host counts as a success.
    const next = nextProbeUrl(url, answer.status, answer.location);
    if (!next) return answer;
    url = next;
  }
  return { problem: `Get "${first.href}": stopped after ${mostRedirects} redirects` };
}

interface Answered {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

type Answer = { readonly problem: string } | Answered;

function get(url: URL, { action, timeoutMs, userAgent, signal }: HttpProbe): Promise<Answer> {
  const httpHeaders = (action.httpHeaders ?? []).map(({ name, value }) => [name.toLowerCase(), value] as const);
  const headers = { 'user-agent': userAgent, accept: '*/*', connection: 'close', ...Object.fromEntries(httpHeaders) };
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const request = send(url, { headers, rejectUnauthorized: false, agent: false, signal }, (response) => {
      void readBody(response).then((body) =>
        resolve({ status: response.statusCode ?? 0, location: response.headers.location, body }),
      );
    });
    const giveUp = () => {
      resolve({ problem: 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)' });
      request.destroy();
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
    request.on('error', (error: NodeJS.ErrnoException) => resolve({ problem: dialProblem(error, url) }));
    request.on('close', () => clearTimeout(timer));
    request.end();
  });
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length >= mostBodyBytes) break;
    }
  } catch {
    // The data so far is sufficient.
  }
  return Buffer.concat(chunks).subarray(0, mostBodyBytes).toString('utf8');
}

const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
  ECONNRESET: 'read: connection reset by peer',
};

/** Go's messages for connection errors. */
export function dialProblem({ code = '', message }: NodeJS.ErrnoException, { hostname, port, protocol }: URL): string {
  const text = texts[code];
  if (code === 'ECONNRESET' || message === 'socket hang up') return 'EOF';
  return text ? `dial tcp ${hostname}:${port || (protocol === 'https:' ? 443 : 80)}: ${text}` : message;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
