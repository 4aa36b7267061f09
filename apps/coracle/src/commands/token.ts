import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@coracle/client';
import { caCertificateHash, createBootstrapToken } from '@coracle/cluster';
import { createHttpTransport, createStderrLogger, loadConnection, systemClock } from '@coracle/platform-nodejs';
import { Command, Option } from 'commander';
import { parseTimespan } from '../flags/flag-values.js';

interface TokenFlags {
  readonly kubeconfig: string;
  readonly server?: string;
  readonly ttl: number;
}

const dayMs = 86_400_000;

/** `coracle token create`: prints the command with which another machine joins. */
export function tokenCommand(): Command {
  const create = new Command('create')
    .description('create a bootstrap token and print the join command')
    .argument('[token]', 'bootstrap token of the form [a-z0-9]{6}.[a-z0-9]{16} (default: a random one)')
    .option(
      '--kubeconfig <file>',
      'kubeconfig of an administrator',
      process.env['KUBECONFIG'] ?? join(homedir(), '.coracle/default/admin.kubeconfig'),
    )
    .option('--server <url>', 'URL of the API server for other machines (default: that of the kubeconfig)')
    .addOption(
      new Option('--ttl <duration>', 'lifetime of the token; 0 for no expiry')
        .argParser(parseTimespan)
        .default(dayMs, '24h0m0s'),
    )
    .action(async (token: string | undefined, flags: TokenFlags) => {
      process.stdout.write(`${await createToken(token, flags)}\n`);
    });
  return new Command('token').description('create bootstrap tokens that machines join with').addCommand(create);
}

/** The line to run on the other machine. */
async function createToken(token: string | undefined, { kubeconfig, server, ttl }: TokenFlags): Promise<string> {
  const connection = await loadConnection({ path: kubeconfig });
  await using transport = await createHttpTransport({ connection, logger: createStderrLogger({ level: 'error' }) });
  const client = createClient({ transport, userAgent: 'coracle-token' });
  const caCertificate = await authorityOf(connection);
  const at = server ?? connection.server;
  const note = loopbackNote(at);
  if (note) process.stderr.write(`coracle: ${note}\n`);
  const made = await createBootstrapToken(client, {
    ...(token && { token }),
    ttlMs: ttl,
    now: systemClock.now(),
    server: at,
    caCertificate,
  });
  return `coracle join --server ${at} --token ${made} --ca-cert-hash ${caCertificateHash(caCertificate)}`;
}

/** Other machines do not reach a server on loopback, where it listens by default. */
export function loopbackNote(server: string): string | undefined {
  const { hostname, host } = new URL(server);
  if (!/^(127\.[\d.]+|\[::1\]|localhost)$/.test(hostname)) return undefined;
  return `other machines cannot reach ${host}: start the cluster with --listen ADDRESS:PORT, or pass --server`;
}

async function authorityOf({ certificateAuthority: ca }: Awaited<ReturnType<typeof loadConnection>>): Promise<string> {
  if (!ca) throw new Error('the kubeconfig has no CA certificate of the cluster');
  return 'data' in ca ? ca.data : readFile(ca.file, 'utf8');
}
