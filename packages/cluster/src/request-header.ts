import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuthenticationInfo, RequestHeaderOptions } from '@coracle/apiserver';
import type { ClusterPki } from '@coracle/platform-nodejs';

/** The flags `--requestheader-*` of kube-apiserver. */
export interface RequestHeaderFiles {
  /** The file with the CA bundle that verifies certificates of proxies. */
  readonly clientCa: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** As kubeadm sets it up: the front proxy is the API server itself, seen from the servers behind it. */
export function ownRequestHeader(certDir: string): RequestHeaderFiles {
  return {
    clientCa: join(certDir, 'front-proxy-ca.crt'),
    allowedNames: ['front-proxy-client'],
    usernameHeaders: ['X-Remote-User'],
    uidHeaders: ['X-Remote-Uid'],
    groupHeaders: ['X-Remote-Group'],
    extraHeaderPrefixes: ['X-Remote-Extra-'],
  };
}

/** The current settings of authenticating proxies. */
export interface Proxies {
  /** Its authorities change when they are read again. */
  readonly options: RequestHeaderOptions;
  /** The published settings for aggregated API servers. */
  info(): NonNullable<AuthenticationInfo['requestHeader']>;
  /** Looks at the files again. */
  refresh(): Promise<void>;
}

interface Trust extends Pick<RequestHeaderOptions, 'authorities' | 'signClients'> {
  /** As PEM. */
  readonly clientCa: string;
}

/** The server's settings for authenticating proxies, and those that it publishes. */
export async function readRequestHeader(
  files: RequestHeaderFiles,
  own: { readonly pki?: ClusterPki; readonly clientCaFile?: string | undefined },
): Promise<Proxies> {
  let trust = await readTrust(files.clientCa, own);
  return {
    options: {
      ...files,
      get authorities() {
        return trust.authorities;
      },
      get signClients() {
        return trust.signClients;
      },
    },
    info: () => ({ ...files, clientCa: trust.clientCa }),
    refresh: async () => {
      trust = await readTrust(files.clientCa, own);
    },
  };
}

async function readTrust(
  file: string,
  { pki, clientCaFile }: { readonly pki?: ClusterPki; readonly clientCaFile?: string | undefined },
): Promise<Trust> {
  const clientCa = await readFile(file, 'utf8');
  const authorities = fingerprintsOf(clientCa);
  if (authorities.length === 0) throw new Error(`${file} contains no certificate`);
  const clients = clientCaFile === undefined ? '' : await readFile(clientCaFile, 'utf8');
  const own = fingerprintsOf((pki?.ca.certificate ?? '') + clients);
  return { clientCa, authorities, signClients: authorities.every((one) => own.includes(one)) };
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export function fingerprintsOf(pem: string): string[] {
  const blocks = pem.match(pemBlock) ?? [];
  return blocks.map((block) => new X509Certificate(block).fingerprint256.replaceAll(':', '').toLowerCase());
}
