import { cleanUpProxy, type RunProxyOptions, runProxy } from '@coracle/cluster';
import { createStderrLogger, type LogLevel } from '@coracle/platform-nodejs';
import { Command, Option } from 'commander';
import { booleanFlag, parseList } from '../flags/flag-values.js';
import {
  addIdleFlags,
  addRefusedFlags,
  flagsWithoutEffect,
  idleProcessFlags,
  type RefusedFlags,
  warnOfIdle,
} from '../flags/idle-flags.js';
import { untilSignal } from '../process/signals.js';

interface ProxyFlags {
  readonly config?: string;
  readonly kubeconfig?: string;
  readonly master?: string;
  readonly hostnameOverride?: string;
  readonly clusterCidr?: readonly string[];
  readonly nodeportAddresses?: readonly string[];
  readonly healthzBindAddress?: string;
  readonly metricsBindAddress?: string;
  readonly masqueradeAll?: boolean;
  readonly cleanup: boolean;
  readonly logLevel: LogLevel;
}

/** Flags of kube-proxy that have no effect here: the rules are always those of nftables. */
const withoutEffect: readonly string[] = [
  ...idleProcessFlags,
  ...['bind-address', 'bind-address-hard-fail', 'config-sync-period', 'conntrack-max-per-core', 'conntrack-min'],
  ...['conntrack-tcp-be-liberal', 'conntrack-tcp-timeout-close-wait', 'conntrack-tcp-timeout-established'],
  ...['conntrack-udp-timeout', 'conntrack-udp-timeout-stream', 'detect-local-mode', 'feature-gates'],
  ...['iptables-localhost-nodeports', 'iptables-masquerade-bit', 'iptables-min-sync-period'],
  ...['iptables-sync-period', 'ipvs-exclude-cidrs', 'ipvs-min-sync-period', 'ipvs-scheduler', 'ipvs-strict-arp'],
  ...['ipvs-sync-period', 'ipvs-tcp-timeout', 'ipvs-tcpfin-timeout', 'ipvs-udp-timeout', 'kube-api-burst'],
  ...['kube-api-content-type', 'kube-api-qps', 'oom-score-adj', 'pod-bridge-interface'],
  ...['pod-interface-name-prefix', 'profiling', 'proxy-mode', 'show-hidden-metrics-for-version'],
];

const refused: RefusedFlags = {
  'init-only': 'it is not supported: the proxy needs no privileged initialization',
  'write-config-to': 'it is not supported',
};

/** `coracle proxy`: the service proxy of this machine. */
export function proxyCommand(): Command {
  const command = new Command('proxy')
    .description('run the service proxy of this machine against an API server')
    .option('--config <file>', 'KubeProxyConfiguration file; flags take precedence')
    .option(
      '--kubeconfig <file>',
      'kubeconfig file (default: $KUBECONFIG, ~/.kube/config, or the service account of the pod)',
    )
    .option('--master <url>', 'address of the API server, instead of that of the kubeconfig')
    .option('--hostname-override <name>', 'node name (default: the host name)')
    .option(
      '--cluster-cidr <list>',
      'CIDR ranges of pods; traffic to cluster IPs from other sources is masqueraded',
      parseList,
    )
    .option(
      '--nodeport-addresses <list>',
      'CIDR ranges of the node addresses that serve node ports (default: all)',
      parseList,
    )
    .option('--healthz-bind-address <host:port>', 'address of the health server (default: 0.0.0.0:10256)')
    .option('--metrics-bind-address <host:port>', 'address of the metrics server (default: 127.0.0.1:10249)')
    .option('--masquerade-all', 'masquerade all traffic to cluster IPs')
    .addOption(booleanFlag('cleanup', 'remove the rules of the proxy and exit', false))
    .addOption(new Option('--log-level <level>', 'log level').choices(['error', 'info', 'debug']).default('error'))
    .action(async (flags: ProxyFlags) => {
      warnOfIdle(flagsWithoutEffect(flags, withoutEffect));
      if (flags.cleanup) return cleanUpProxy();
      await using running = await runProxy(optionsOf(flags));
      void running.started.then(() => process.stdout.write('coracle proxy is running\n'));
      await untilSignal();
    });
  addIdleFlags(command, withoutEffect);
  addRefusedFlags(command, refused);
  return command;
}

function optionsOf(flags: ProxyFlags): RunProxyOptions {
  const { config, kubeconfig, master, hostnameOverride } = flags;
  const { clusterCidr, nodeportAddresses, healthzBindAddress, metricsBindAddress, masqueradeAll } = flags;
  return {
    logger: createStderrLogger({ level: flags.logLevel }),
    onNote: (note) => void process.stderr.write(`coracle: ${note}\n`),
    ...(config && { configFile: config }),
    ...(kubeconfig && { kubeconfig }),
    ...(master && { master }),
    ...(hostnameOverride && { hostnameOverride }),
    overrides: {
      ...(clusterCidr && { podNetworks: clusterCidr }),
      ...(nodeportAddresses && { nodePortAddresses: nodeportAddresses }),
      ...(healthzBindAddress !== undefined && { healthzBindAddress }),
      ...(metricsBindAddress !== undefined && { metricsBindAddress }),
      ...(masqueradeAll !== undefined && { masqueradeAll }),
    },
  };
}
