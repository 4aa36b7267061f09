import { type Client, type Connection, createClient, failureOfResponse, type Transport } from '@coracle/client';
import { CommandError } from '../command/command-error.js';
import type { FlagValues } from '../command/flag-values.js';
import { ConnectionFailed } from '../command/format-error.js';
import type { Host } from '../host.js';
import { textAt } from '../values.js';
import { clientVersion } from '../version.js';
import { logged } from './log-requests.js';
import { moduleLevel } from './module-level.js';
import { parseTimeout } from './parse-timeout.js';

interface ConnectOptions {
  readonly connection: Connection;
  readonly host: Host;
  readonly flags: FlagValues;
  readonly onWarning: (text: string) => void;
}

/** A client of the server that the connection leads to. */
export async function connect({ connection, host, flags, onWarning }: ConnectOptions): Promise<{
  readonly client: Client;
  readonly transport: Partial<Disposable>;
}> {
  const timeoutMs = parseTimeout(flags.string('request-timeout'));
  const verbosity = Math.max(flags.number('v'), moduleLevel(flags.string('vmodule'), 'round_trippers'));
  const transport = await host.connect({ connection, ...(timeoutMs > 0 && { timeoutMs }), verbosity });
  const client = createClient({
    transport: explaining(logged(transport, { host, connection, verbosity }), connection.server),
    userAgent: `kubectl/${clientVersion.gitVersion} (${host.platform}) kubernetes/coracle`,
    onWarning,
  });
  if (flags.bool('match-server-version')) await requireSameVersion(client);
  return { client, transport };
}

async function requireSameVersion(client: Client): Promise<void> {
  const response = await client.raw('GET', '/version');
  if (response.status >= 400) throw failureOfResponse(response);
  const server = textAt(response.body, 'gitVersion');
  const own = clientVersion.gitVersion;
  if (server !== own) throw new CommandError(`server version (${server}) differs from client version (${own})!`);
}

/** Adds the server to network errors. */
function explaining(transport: Transport, server: string): Transport {
  const { host } = new URL(server);
  return {
    ...transport,
    exchange: async (request) => {
      try {
        return await transport.exchange(request);
      } catch (error) {
        if (!(error instanceof Error) || request.signal?.aborted) throw error;
        if (error.message.startsWith('getting credentials')) throw new CommandError(error.message);
        throw new ConnectionFailed(host, error);
      }
    },
  };
}
