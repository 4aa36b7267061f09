import { networkInterfaces } from 'node:os';
import type { Clock } from '@coracle/base';
import { type ClusterPki, createAuthority, issueCertificate, type KeyPair } from '@coracle/platform-nodejs';
import { defaultNodeName } from './default-node-name.js';
import type { RealNodeSettings } from './real-node.js';

const yearMs = 365 * 24 * 3_600_000;

type ServingSettings = RealNodeSettings & { readonly kubeletPort?: number };

/** The kubelet's port of the control plane's own machine, with a certificate of the cluster's CA. */
export async function nodeServing(
  settings: ServingSettings,
  pki: ClusterPki | undefined,
  clock: Clock,
): Promise<Pick<RealNodeSettings, 'serving'>> {
  return pki ? servingBy(settings, { authority: pki.ca, clientCa: pki.ca.certificate, clock }) : {};
}

/** The kubelet's port of a machine that has no key of the CA: its certificate is self-signed, as that of upstream's kubelet. */
export async function selfSignedServing(
  settings: ServingSettings,
  { clientCa, clock }: { readonly clientCa: string; readonly clock: Clock },
): Promise<Pick<RealNodeSettings, 'serving'>> {
  const now = clock.now();
  const validity = { notBefore: new Date(now - 300_000), notAfter: new Date(now + yearMs) };
  const authority = await createAuthority(`${settings.nodeName ?? defaultNodeName()}-ca`, validity);
  return servingBy(settings, { authority, clientCa, clock });
}

interface Signing {
  readonly authority: KeyPair;
  readonly clientCa: string;
  readonly clock: Clock;
}

async function servingBy(
  { nodeName = defaultNodeName(), nodeIps = [], kubeletPort }: ServingSettings,
  { authority, clientCa, clock }: Signing,
): Promise<Pick<RealNodeSettings, 'serving'>> {
  const own = Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address.replace(/%.*/, '')),
  );
  const now = clock.now();
  const certificate = await issueCertificate(authority, {
    commonName: `system:node:${nodeName}`,
    organizations: ['system:nodes'],
    usage: 'server',
    dnsNames: [nodeName, 'localhost'],
    ipAddresses: [...new Set([...own, ...nodeIps, '127.0.0.1'])],
    notBefore: new Date(now - 300_000),
    notAfter: new Date(now + yearMs),
  });
  return {
    serving: { certificate, clientCa, ...(kubeletPort !== undefined && { port: kubeletPort }) },
  };
}
