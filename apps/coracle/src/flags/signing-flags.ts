import type { ComponentOptions } from '@coracle/cluster';
import type { Command } from 'commander';

/** The key pairs that sign certificate signing requests. */
export interface SigningFlags {
  readonly clusterSigningCertFile?: string;
  readonly clusterSigningKeyFile?: string;
  readonly clusterSigningKubeletServingCertFile?: string;
  readonly clusterSigningKubeletServingKeyFile?: string;
  readonly clusterSigningKubeletClientCertFile?: string;
  readonly clusterSigningKubeletClientKeyFile?: string;
  readonly clusterSigningKubeApiserverClientCertFile?: string;
  readonly clusterSigningKubeApiserverClientKeyFile?: string;
  readonly clusterSigningLegacyUnknownCertFile?: string;
  readonly clusterSigningLegacyUnknownKeyFile?: string;
}

const singleSigners = [
  ['kubelet-serving', 'kubernetes.io/kubelet-serving'],
  ['kubelet-client', 'kubernetes.io/kube-apiserver-client-kubelet'],
  ['kube-apiserver-client', 'kubernetes.io/kube-apiserver-client'],
  ['legacy-unknown', 'kubernetes.io/legacy-unknown'],
] as const;

export function addSigningFlags(command: Command): Command {
  command
    .option('--cluster-signing-cert-file <file>', 'CA certificate that signs certificate signing requests')
    .option('--cluster-signing-key-file <file>', 'key of the signing CA certificate');
  for (const [flag, signer] of singleSigners)
    command
      .option(`--cluster-signing-${flag}-cert-file <file>`, `CA certificate of the signer ${signer} alone`)
      .option(`--cluster-signing-${flag}-key-file <file>`, `key of the CA certificate of the signer ${signer}`);
  return command;
}

/** If single signers have their own pairs, the others do not sign. */
export function signingFiles(flags: SigningFlags): Pick<ComponentOptions, 'signing' | 'signerFiles'> {
  const { clusterSigningCertFile: certFile, clusterSigningKeyFile: keyFile } = flags;
  const pairs = singlePairs(flags);
  const problems = pairs.flatMap(({ flag, certFile: cert, keyFile: key }) => {
    if ((cert === undefined) === (key === undefined)) return [];
    return [`"cluster-signing-${flag}": cannot specify ${cert ? 'cert without key' : 'key without cert'}`];
  });
  if ((certFile ?? keyFile) !== undefined && pairs.length > 0)
    problems.push(
      'cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time',
    );
  if (problems.length > 0) throw new Error(problems.join('; '));
  if (pairs.length === 0) return certFile && keyFile ? { signing: { certFile, keyFile } } : {};
  return {
    signerFiles: Object.fromEntries(
      pairs.map(({ signer, certFile: cert = '', keyFile: key = '' }) => [signer, { certFile: cert, keyFile: key }]),
    ),
  };
}

/** The signers that have a file of their own. */
function singlePairs(flags: SigningFlags) {
  const files = {
    'kubelet-serving': [flags.clusterSigningKubeletServingCertFile, flags.clusterSigningKubeletServingKeyFile],
    'kubelet-client': [flags.clusterSigningKubeletClientCertFile, flags.clusterSigningKubeletClientKeyFile],
    'kube-apiserver-client': [
      flags.clusterSigningKubeApiserverClientCertFile,
      flags.clusterSigningKubeApiserverClientKeyFile,
    ],
    'legacy-unknown': [flags.clusterSigningLegacyUnknownCertFile, flags.clusterSigningLegacyUnknownKeyFile],
  } as const;
  return singleSigners
    .map(([flag, signer]) => ({ flag, signer, certFile: files[flag][0], keyFile: files[flag][1] }))
    .filter(({ certFile, keyFile }) => (certFile ?? keyFile) !== undefined);
}
