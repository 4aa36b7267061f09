import type { ClusterOptions } from '@coracle/cluster';
import type { Command } from 'commander';
import { parseList } from './flag-values.js';

/** How the API server connects to kubelets, with kube-apiserver's names. */
export interface KubeletClientFlags {
  readonly kubeletClientCertificate?: string;
  readonly kubeletClientKey?: string;
  readonly kubeletCertificateAuthority?: string;
  readonly kubeletPreferredAddressTypes?: readonly string[];
}

export function addKubeletClientFlags(command: Command): Command {
  return command
    .option('--kubelet-client-certificate <file>', 'client certificate for kubelets (default: one of the cluster CA)')
    .option('--kubelet-client-key <file>', 'key of the client certificate for kubelets')
    .option('--kubelet-certificate-authority <file>', 'CA bundle that verifies the certificates of kubelets')
    .option(
      '--kubelet-preferred-address-types <list>',
      'node address types to use for kubelets, in this order (default: Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP)',
      parseList,
    );
}

/** Options of a cluster from these flags. */
export function kubeletClientOptions(flags: KubeletClientFlags): Pick<ClusterOptions, 'kubeletClient'> {
  const { kubeletClientCertificate: certificate, kubeletClientKey: key } = flags;
  const { kubeletCertificateAuthority: certificateAuthority, kubeletPreferredAddressTypes: types } = flags;
  if ((certificate === undefined) !== (key === undefined))
    throw new Error('--kubelet-client-certificate and --kubelet-client-key must be given together');
  return {
    kubeletClient: {
      ...(certificate !== undefined && key !== undefined && { certificate, key }),
      ...(certificateAuthority !== undefined && { certificateAuthority }),
      ...(types && { preferredAddressTypes: types }),
    },
  };
}
