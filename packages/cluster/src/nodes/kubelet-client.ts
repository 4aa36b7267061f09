import { readFile } from 'node:fs/promises';
import { type Dialer, kubeletClient, type NodeConnector, type OutboundTls } from '@coracle/apiserver';
import type { Clock } from '@coracle/base';
import { type ClusterPki, issueCertificate, type KeyPair } from '@coracle/platform-nodejs';

/** How the API server connects to kubelets of other processes. */
export interface KubeletClientFiles {
  /** Client certificate and key; one of the cluster's CA is made unless stated. */
  readonly certificate?: string;
  readonly key?: string;
  /** CA bundle that verifies the certificates of kubelets; they are not verified unless stated. */
  readonly certificateAuthority?: string;
  /** Which of a node's addresses are used, in this order. */
  readonly preferredAddressTypes?: readonly string[];
}

interface Parts {
  readonly dialer: Dialer;
  readonly pki: ClusterPki | undefined;
  readonly clock: Clock;
}

/** Reaches any kubelet over HTTPS, as an administrator of nodes. */
export function remoteKubelets(files: KubeletClientFiles, { dialer, pki, clock }: Parts): NodeConnector {
  const { preferredAddressTypes } = files;
  let made: Promise<KeyPair> | undefined;
  const ownPair = () => {
    made ??= pki && issueClientPair(pki, clock);
    return made;
  };
  return kubeletClient({
    dialer,
    ...(preferredAddressTypes && { preferredAddressTypes }),
    tls: () => readTls(files, ownPair),
  });
}

/** Read each time: certificates are replaced while the server runs. */
async function readTls(files: KubeletClientFiles, ownPair: () => Promise<KeyPair> | undefined): Promise<OutboundTls> {
  const { certificate, key, certificateAuthority } = files;
  const read = (file: string | undefined) => (file === undefined ? undefined : readFile(file, 'utf8'));
  const own = certificate === undefined ? await ownPair() : undefined;
  const [clientCertificate, clientKey, caBundle] = await Promise.all([
    read(certificate) ?? own?.certificate,
    read(key) ?? own?.key,
    read(certificateAuthority),
  ]);
  return {
    ...(clientCertificate !== undefined && { clientCertificate }),
    ...(clientKey !== undefined && { clientKey }),
    ...(caBundle !== undefined && { caBundle }),
  };
}

const yearMs = 365 * 24 * 3_600_000;

function issueClientPair({ ca }: ClusterPki, clock: Clock): Promise<KeyPair> {
  const now = clock.now();
  return issueCertificate(ca, {
    commonName: 'kube-apiserver-kubelet-client',
    organizations: ['system:masters'],
    usage: 'client',
    notBefore: new Date(now - 300_000),
    notAfter: new Date(now + yearMs),
  });
}
