import { type ComponentOptions, hasNoEffect } from '@coracle/cluster';
import type { LogLevel } from '@coracle/platform-nodejs';
import { type Command, Option } from 'commander';
import { combineGates, parseFeatureGates } from './feature-gates.js';
import { booleanFlag, durationFlag, parseCount, parseList } from './flag-values.js';
import {
  addIdleFlags,
  addRefusedFlags,
  flagsWithoutEffect,
  idleProcessFlags,
  idleServingFlags,
  type RefusedFlags,
  refusedServingFlags,
} from './idle-flags.js';
import { addRequestHeaderFlags, type RequestHeaderFlags, requestHeaderOptions } from './request-header-flags.js';
import { addTlsFlags, type TlsFlags, tlsOptions } from './tls-flags.js';

/** Common flags of components that run beside an API server. */
export interface ComponentFlags extends RequestHeaderFlags, TlsFlags {
  readonly kubeconfig?: string;
  readonly master?: string;
  readonly leaderElect: boolean;
  readonly leaderElectLeaseDuration: number;
  readonly leaderElectRenewDeadline: number;
  readonly leaderElectRetryPeriod: number;
  readonly leaderElectResourceName: string;
  readonly leaderElectResourceNamespace: string;
  readonly bindAddress: string;
  readonly securePort: number;
  readonly authenticationKubeconfig?: string;
  readonly authorizationKubeconfig?: string;
  readonly authorizationAlwaysAllowPaths: readonly string[];
  readonly profiling: boolean;
  readonly featureGates?: Readonly<Record<string, boolean>>;
  readonly logLevel: LogLevel;
}

type Component = ComponentOptions['component'];

/** Flags of these components that have no effect here. */
const withoutEffect: Readonly<Record<Component | 'both', readonly string[]>> = {
  both: [
    ...idleProcessFlags,
    ...idleServingFlags,
    ...['authentication-skip-lookup', 'authentication-token-webhook-cache-ttl'],
    ...['authentication-tolerate-lookup-failure', 'authorization-webhook-cache-authorized-ttl'],
    ...['authorization-webhook-cache-unauthorized-ttl', 'cert-dir', 'kube-api-burst', 'kube-api-content-type'],
    ...['kube-api-qps'],
  ],
  // There is no cloud provider. Namespaces that are not empty are looked at again much sooner than their sync period.
  'controller-manager': [
    ...['allow-untagged-cloud', 'cloud-config', 'cloud-provider', 'cluster-name', 'concurrent-resource-claim-syncs'],
    ...['configure-cloud-routes', 'controller-shutdown-timeout', 'controller-start-interval'],
    ...['enable-hostpath-provisioner', 'enable-leader-migration', 'external-cloud-volume-plugin'],
    ...['flex-volume-plugin-dir', 'leader-migration-config', 'min-resync-period', 'namespace-sync-period'],
    ...['pv-recycler-increment-timeout-nfs', 'pv-recycler-minimum-timeout-hostpath'],
    ...['pv-recycler-minimum-timeout-nfs', 'pv-recycler-pod-template-filepath-hostpath'],
    ...['pv-recycler-pod-template-filepath-nfs', 'pv-recycler-timeout-increment-hostpath'],
    ...['route-reconciliation-period'],
  ],
  scheduler: ['pod-max-in-unschedulable-pods-duration'],
};

const refused: Readonly<Record<Component | 'both', RefusedFlags>> = {
  both: refusedServingFlags,
  'controller-manager': {},
  scheduler: { 'write-config-to': 'it is not supported; /configz serves the configuration that is in use' },
};

export function addComponentFlags(command: Command, component: Component, port: number): Command {
  addConnectionFlags(command, component);
  addServingFlags(command, port);
  return command
    .option('--feature-gates <list>', 'feature gates, separated by commas: Name=true,…', parseFeatureGates)
    .addOption(new Option('--log-level <level>', 'log level').choices(['error', 'info', 'debug']).default('error'));
}

/**
 * Call it after the other flags of the command are added: those have an effect. Returns the names of the added flags.
 */
export function addFlagsWithoutEffect(command: Command, component: Component): readonly string[] {
  addRefusedFlags(command, { ...refused.both, ...refused[component] });
  return addIdleFlags(command, [...withoutEffect.both, ...withoutEffect[component]]);
}

function addConnectionFlags(command: Command, component: Component): void {
  command
    .option(
      '--kubeconfig <file>',
      'kubeconfig file (default: $KUBECONFIG, ~/.kube/config, or the service account of the pod)',
    )
    .option('--master <url>', 'address of the API server, instead of that of the kubeconfig')
    .addOption(booleanFlag('leader-elect', 'work only while holding the leader election lease'))
    .addOption(
      durationFlag(
        'leader-elect-lease-duration',
        'time that other candidates wait before they take over the lease',
        15_000,
      ),
    )
    .addOption(
      durationFlag(
        'leader-elect-renew-deadline',
        'time that the leader tries to renew the lease before it gives up',
        10_000,
      ),
    )
    .addOption(durationFlag('leader-elect-retry-period', 'interval between attempts to get or renew the lease', 2_000))
    .addOption(
      new Option('--leader-elect-resource-lock <resource>', 'resource that is the lock')
        .choices(['leases'])
        .default('leases'),
    )
    .option('--leader-elect-resource-name <name>', 'name of the lease', `kube-${component}`)
    .option('--leader-elect-resource-namespace <namespace>', 'namespace of the lease', 'kube-system');
}

function addServingFlags(command: Command, port: number): void {
  addRequestHeaderFlags(addTlsFlags(command))
    .option('--bind-address <address>', 'address to serve health and metrics on', '0.0.0.0')
    .option('--secure-port <port>', 'port to serve health and metrics on over HTTPS; 0 disables it', parseCount, port)
    .option(
      '--authentication-kubeconfig <file>',
      'kubeconfig file with the credentials that review tokens (default: that of --kubeconfig)',
    )
    .option(
      '--authorization-kubeconfig <file>',
      'kubeconfig file with the credentials that review access (default: that of --kubeconfig)',
    )
    .option('--authorization-always-allow-paths <list>', 'paths that need no authorization', parseList, [
      '/healthz',
      '/readyz',
      '/livez',
    ])
    .addOption(booleanFlag('profiling', 'serve profiles below /debug/pprof'));
}

/** Flags and gates that were set and have no effect. */
export function idleFlags(flags: ComponentFlags, names: readonly string[]): string[] {
  return [
    ...flagsWithoutEffect(flags, names),
    ...Object.entries(flags.featureGates ?? {})
      .filter(([name, value]) => hasNoEffect(name, value))
      .map(([name, value]) => `feature gate ${name}=${value}`),
  ];
}

type Serving = NonNullable<ComponentOptions['serving']>;

/** Options of a component from these flags, except leader election. */
export async function componentOptions(
  flags: ComponentFlags,
): Promise<Pick<ComponentOptions, 'kubeconfig' | 'master' | 'features' | 'serving'>> {
  const { kubeconfig, master, securePort } = flags;
  return {
    features: combineGates(flags.featureGates ?? {}),
    ...(kubeconfig && { kubeconfig }),
    ...(master && { master }),
    ...(securePort > 0 && { serving: servingOf(flags) }),
  };
}

function servingOf(flags: ComponentFlags): Serving {
  const { bindAddress: host, securePort: port, authenticationKubeconfig, authorizationKubeconfig } = flags;
  const { certificateFiles: { serving, named, clientCa } = {}, tls } = tlsOptions(flags);
  return {
    host,
    port,
    alwaysAllowed: flags.authorizationAlwaysAllowPaths,
    profiling: flags.profiling,
    ...(serving && { certificate: { certFile: serving.certificate, keyFile: serving.key } }),
    ...(named && { named }),
    ...(tls && { tls }),
    ...(clientCa && { clientCaFile: clientCa }),
    ...requestHeaderOptions(flags),
    ...(authenticationKubeconfig && { authenticationKubeconfig }),
    ...(authorizationKubeconfig && { authorizationKubeconfig }),
  };
}
