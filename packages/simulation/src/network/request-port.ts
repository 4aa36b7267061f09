import type { Pod } from '@coracle/api';
import { answerPort } from '../exec/simulated-port.js';

/** Sends a request to a port of a simulated pod that no function serves. */
export async function requestPort(request: Request, { metadata }: Pod, port: number): Promise<Response> {
  const at = { pod: metadata.name ?? '', namespace: metadata.namespace ?? '', port };
  const { pathname, search, host } = new URL(request.url);
  const text = await new Promise<string>((resolve) => {
    let answer = '';
    const sink = answerPort(at, {
      data: (chunk) => {
        answer += new TextDecoder('latin1').decode(chunk);
      },
      end: () => resolve(answer),
    });
    const head = `${request.method} ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
    sink.data(new TextEncoder().encode(head));
    sink.end();
  });
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines
    .map((line) => line.split(/:\s*/, 2) as [string, string])
    .filter(([name]) => name !== 'connection');
  return new Response(text.slice(end + 4), { status: Number(first.split(' ')[1]) || 200, headers });
}
