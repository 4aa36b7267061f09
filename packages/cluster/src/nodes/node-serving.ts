import { networkInterfaces } from 'node:os';
import type { Clock } from '@coracle/base';
import { type ClusterPki, issueCertificate } from '@coracle/platform-nodejs';
import { defaultNodeName, type RealNodeSettings } from './real-node.js';

const yearMs = 365 * 24 * 3_600_000;

/** The kubelet's port of the control plane's own machine, with a certificate of the cluster's CA. */
export async function nodeServing(
  { nodeName = defaultNodeName(), nodeIps = [], kubeletPort }: RealNodeSettings & { readonly kubeletPort?: number },
  pki: ClusterPki | undefined,
  clock: Clock,
): Promise<Pick<RealNodeSettings, 'serving'>> {
  if (!pki) return {};
  const own = Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address.replace(/%.*/, '')),
  );
  const now = clock.now();
  const certificate = await issueCertificate(pki.ca, {
    commonName: `system:node:${nodeName}`,
    organizations: ['system:nodes'],
    usage: 'server',
    dnsNames: [nodeName, 'localhost'],
    ipAddresses: [...new Set([...own, ...nodeIps, '127.0.0.1'])],
    notBefore: new Date(now - 300_000),
    notAfter: new Date(now + yearMs),
  });
  return {
    serving: { certificate, clientCa: pki.ca.certificate, ...(kubeletPort !== undefined && { port: kubeletPort }) },
  };
}
