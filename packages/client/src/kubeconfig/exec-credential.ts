import { parseTime } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { Issued } from './credential-source.js';
import type { ExecEntry } from './kubeconfig.js';

/** Supported API versions of ExecCredential. */
const versions: ReadonlySet<string> = new Set([
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
]);

/** The cluster, as passed to a credential plugin. */
export interface ExecCluster {
  readonly server: string;
  readonly certificateAuthorityData?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  readonly extension?: unknown;
}

/** The value of `KUBERNETES_EXEC_INFO` for a credential plugin. */
export function execInfo(
  exec: ExecEntry,
  { interactive, cluster }: { interactive: boolean; cluster: ExecCluster },
): string {
  if (!versions.has(exec.apiVersion))
    throw new Error(`exec plugin: invalid apiVersion ${JSON.stringify(exec.apiVersion)}`);
  const { proxyUrl, tlsServerName, insecureSkipTlsVerify, certificateAuthorityData, disableCompression, extension } =
    cluster;
  const clusterInfo = {
    server: cluster.server,
    ...(tlsServerName && { 'tls-server-name': tlsServerName }),
    ...(insecureSkipTlsVerify && { 'insecure-skip-tls-verify': true }),
    ...(certificateAuthorityData && { 'certificate-authority-data': certificateAuthorityData }),
    ...(proxyUrl && { 'proxy-url': proxyUrl }),
    ...(disableCompression && { 'disable-compression': true }),
    ...(extension !== undefined && { config: extension }),
  };
  const spec = { ...(exec.provideClusterInfo && { cluster: clusterInfo }), interactive };
  return JSON.stringify({ kind: 'ExecCredential', apiVersion: exec.apiVersion, spec });
}

/** Whether the plugin may use the terminal. Fails when it must and there is none. */
export function isInteractive(exec: ExecEntry, hasTerminal: boolean): boolean {
  switch (exec.interactiveMode ?? (exec.apiVersion.endsWith('/v1') ? undefined : 'IfAvailable')) {
    case 'Never':
      return false;
    case 'IfAvailable':
      return hasTerminal;
    case 'Always':
      if (!hasTerminal)
        throw new Error('exec plugin cannot support interactive mode: standard input is not a terminal');
      return true;
    default:
      throw new Error('exec plugin: interactiveMode must be specified');
  }
}

/** Parses the output of a credential plugin. */
export function parseExecCredential(output: string, exec: ExecEntry): Issued {
  const printed = parseJson(output);
  if (printed['kind'] !== 'ExecCredential' || printed['apiVersion'] !== exec.apiVersion)
    throw new Error(
      `exec plugin is configured to use API version ${exec.apiVersion}, plugin returned version ${printed['apiVersion']}`,
    );
  const status = printed['status'];
  if (!isRecord(status)) throw new Error("exec plugin didn't return a status field");
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = status;
  const [certificate, key] = [text(clientCertificateData), text(clientKeyData)];
  if (!text(token) && !certificate && !key) throw new Error("exec plugin didn't return a token or cert/key pair");
  if (!certificate !== !key) throw new Error('exec plugin returned only certificate or key, not both');
  const expiresAt = parseTime(text(expirationTimestamp));
  return {
    credentials: {
      ...(text(token) && { token: text(token) }),
      ...(certificate && { clientCertificate: certificate, clientKey: key }),
    },
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function parseJson(output: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(output);
    if (isRecord(value)) return value;
  } catch {
    // Reported below: the output may contain a secret and is not repeated.
  }
  throw new Error('exec plugin printed no JSON object');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
