import type { KubeFlags } from './kube-flags.js';
import type { StoreFlags } from './store-flags.js';
import type { TlsFlags } from './tls-flags.js';

/** Checks of flags that depend on each other, or have limits. */
interface CheckedFlags extends KubeFlags, StoreFlags, TlsFlags {
  readonly authorizationMode: readonly string[];
  readonly authorizationPolicyFile?: string;
  readonly requestTimeout?: number;
}

/** START-12: checks flags that depend on each other. All problems are reported at once. */
export function checkFlags(flags: CheckedFlags): void {
  const problems = checks.map((check) => check(flags)).filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

type Check = (flags: CheckedFlags) => string | undefined;

const checks: readonly Check[] = [
  ({ apiserverCount }) =>
    apiserverCount < 1
      ? `--apiserver-count should be a positive number, but value '${apiserverCount}' provided`
      : undefined,
  ({ store, etcdPrefix }) =>
    store !== 'etcd' && etcdPrefix !== undefined ? '--etcd-prefix needs --store etcd' : undefined,
  ({ store, etcdServersOverrides }) =>
    store !== 'etcd' && etcdServersOverrides !== undefined ? '--etcd-servers-overrides needs --store etcd' : undefined,
  ({ store, etcdServers = [] }) =>
    store === 'etcd' && etcdServers.length === 0 ? '--store etcd needs --etcd-servers URL,URL' : undefined,
  ({ tlsCertFile, tlsPrivateKeyFile }) =>
    (tlsCertFile === undefined) === (tlsPrivateKeyFile === undefined)
      ? undefined
      : '--tls-cert-file and --tls-private-key-file must be given together',
  ({ authorizationMode: modes }) =>
    new Set(modes).size < modes.length
      ? `--authorization-mode [${modes.join(' ')}] has mode specified more than once`
      : undefined,
  ({ authorizationMode: modes, authorizationPolicyFile }) =>
    authorizationPolicyFile !== undefined && !modes.includes('ABAC')
      ? 'cannot specify --authorization-policy-file without mode ABAC'
      : undefined,
  ({ requestTimeout }) =>
    requestTimeout === 0 ? '--request-timeout can not be zero: requests would not be answered' : undefined,
];
