import { spawn } from 'node:child_process';
import type { Clock } from '@coracle/base';
import {
  CachedCredentials,
  type Connection,
  type CredentialSource,
  type ExecEntry,
  execInfo,
  isInteractive,
  parseExecCredential,
} from '@coracle/client';

export interface ExecCredentialOptions {
  readonly exec: ExecEntry & { readonly clusterExtension?: unknown };
  readonly connection: Connection;
  /** PEM, for plugins with `provideClusterInfo`. */
  readonly certificateAuthority?: string;
  readonly clock: Clock;
  /** Whether standard input is a terminal. */
  readonly hasTerminal?: boolean;
}

/**
 * Credentials from a credential plugin: called when there are none, when they expire, and when the server rejected
 * them.
 */
export function execCredentials(options: ExecCredentialOptions): CredentialSource {
  const { exec, connection, certificateAuthority, clock, hasTerminal = process.stdin.isTTY === true } = options;
  const { server, tlsServerName, insecureSkipTlsVerify, proxyUrl, disableCompression } = connection;
  const issue = async () => {
    const interactive = isInteractive(exec, hasTerminal);
    const info = execInfo(exec, {
      interactive,
      cluster: {
        server,
        ...(tlsServerName && { tlsServerName }),
        ...(insecureSkipTlsVerify && { insecureSkipTlsVerify }),
        ...(proxyUrl && { proxyUrl }),
        ...(disableCompression && { disableCompression }),
        ...(certificateAuthority && { certificateAuthorityData: Buffer.from(certificateAuthority).toString('base64') }),
        extension: exec.clusterExtension,
      },
    });
    return parseExecCredential(await run(exec, { interactive, info }), exec);
  };
  return new CachedCredentials({ issue, clock });
}

/** The output of the plugin. Its standard error goes to that of this process. */
function run(exec: ExecEntry, { interactive, info }: { interactive: boolean; info: string }): Promise<string> {
  const extra = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
  return new Promise((resolve, reject) => {
    const child = spawn(exec.command, [...(exec.args ?? [])], {
      env: { ...process.env, ...extra, KUBERNETES_EXEC_INFO: info },
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error: NodeJS.ErrnoException) => reject(new Error(failureText(exec, error), { cause: error })));
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(new Error(`getting credentials: exec: executable ${exec.command} failed with exit code ${code}`));
    });
  });
}

function failureText({ command, installHint }: ExecEntry, error: NodeJS.ErrnoException): string {
  if (error.code !== 'ENOENT') return `getting credentials: exec: ${error.message}`;
  const missing = `getting credentials: exec: executable ${command} not found`;
  return installHint ? `${missing}\n\n${installHint}` : missing;
}
