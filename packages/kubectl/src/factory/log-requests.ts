import type { ApiRequest } from '@coracle/apimachinery';
import type { Connection, Transport } from '@coracle/client';
import type { Host } from '../host.js';
import { klogHead } from '../klog.js';

interface LogOptions {
  readonly host: Host;
  readonly connection: Connection;
  readonly verbosity: number;
}

/** Logs requests on standard error: from level 6 on, with headers from 7, with bodies from 8. */
export function logged(transport: Transport, { host, connection, verbosity }: LogOptions): Transport {
  if (verbosity < 6) return transport;
  const log = (text: string) => host.stderr.write(`${klogHead(host, 'I', 'round_trippers.go:632')}${text}\n`);
  return {
    ...transport,
    exchange: async (request) => {
      const began = host.clock.now();
      const url = `${connection.server}${request.path}${request.query ? `?${request.query}` : ''}`;
      if (verbosity >= 7) log(`"Request" verb="${request.method}" url="${url}"${headersOf(request)}`);
      if (verbosity >= 8 && request.body?.kind === 'bytes')
        log(`"Request Body" body=${JSON.stringify(new TextDecoder().decode(request.body.bytes))}`);
      const response = await transport.exchange(request);
      log(
        `"Response" verb="${request.method}" url="${url}" status="${response.status}" milliseconds=${Math.round(host.clock.now() - began)}`,
      );
      return response;
    },
  };
}

/** Secrets stay out of logs. */
function headersOf({ headers }: ApiRequest): string {
  const shown = Object.entries(headers).map(([name, value]) =>
    name.toLowerCase() === 'authorization' ? `\t${name}: Bearer <masked>` : `\t${name}: ${String(value)}`,
  );
  return ` headers=<\n${shown.join('\n')}\n >`;
}
