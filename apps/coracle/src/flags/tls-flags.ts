import { messageOf } from '@coracle/base';
import type { CertificateFiles, ClusterOptions, NamedCertificateFiles } from '@coracle/cluster';
import { tlsAgreement } from '@coracle/platform-nodejs';
import { type Command, InvalidArgumentError } from 'commander';
import { parseList } from './flag-values.js';

/** Serving certificate and client CA of the server. */
export interface TlsFlags {
  readonly clientCaFile?: string;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly tlsSniCertKey?: readonly NamedCertificateFiles[];
  readonly tlsCipherSuites?: readonly string[];
  readonly tlsMinVersion?: string;
}

export function addTlsFlags(command: Command): Command {
  return command
    .option('--client-ca-file <file>', 'CA bundle that verifies client certificates')
    .option('--tls-cert-file <file>', 'serving certificate (default: generated)')
    .option('--tls-private-key-file <file>', 'key of the serving certificate')
    .option(
      '--tls-sni-cert-key <files>',
      'certificate and key for other host names by SNI: CERT,KEY[:NAME,…]; may be repeated',
      collectNamed,
    )
    .option(
      '--tls-cipher-suites <list>',
      "TLS 1.2 cipher suites, by Go's names (default: Go's secure ones)",
      parseSuites,
    )
    .option(
      '--tls-min-version <version>',
      'minimum TLS version: VersionTLS10, …11, …12 or …13 (default: VersionTLS12)',
      parseVersion,
    );
}

function collectNamed(text: string, before: readonly NamedCertificateFiles[] = []): NamedCertificateFiles[] {
  const [, files = '', names] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const [certificate, key, ...rest] = files.split(',').map((file) => file.trim());
  if (names?.trim() === '') throw new InvalidArgumentError('empty names list is not allowed');
  if (!certificate || !key || rest.length > 0)
    throw new InvalidArgumentError('expected comma separated certificate and key file paths');
  return [...before, { certificate, key, names: parseList(names ?? '') }];
}

function parseSuites(text: string): string[] {
  const cipherSuites = parseList(text);
  refuseWhatThrows(() => tlsAgreement({ cipherSuites }));
  return cipherSuites;
}

function parseVersion(minVersion: string): string {
  refuseWhatThrows(() => tlsAgreement({ minVersion }));
  return minVersion;
}

function refuseWhatThrows(check: () => unknown): void {
  try {
    check();
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

/** Options of a cluster from these flags. */
export function tlsOptions(flags: TlsFlags): Pick<ClusterOptions, 'certificateFiles' | 'tls'> {
  const { tlsCipherSuites: cipherSuites, tlsMinVersion: minVersion } = flags;
  return {
    certificateFiles: certificateFiles(flags),
    ...((cipherSuites || minVersion) && {
      tls: { ...(cipherSuites && { cipherSuites }), ...(minVersion && { minVersion }) },
    }),
  };
}

function certificateFiles({ clientCaFile, tlsCertFile, tlsPrivateKeyFile, tlsSniCertKey }: TlsFlags): CertificateFiles {
  return {
    ...(clientCaFile && { clientCa: clientCaFile }),
    ...(tlsCertFile && tlsPrivateKeyFile && { serving: { certificate: tlsCertFile, key: tlsPrivateKeyFile } }),
    ...(tlsSniCertKey && { named: tlsSniCertKey }),
  };
}
