import { cleanUpProxy, type RunProxyOptions, runProxy } from '@coracle/cluster';
import { createStderrLogger, type LogLevel } from '@coracle/platform-nodejs';
import { Command, Option } from 'commander';
import { booleanFlag, parseList } from '../flags/flag-values.js';
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

/** `coracle proxy`: the service proxy of this machine. */
export function proxyCommand(): Command {
  return new Command('proxy')
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
      if (flags.cleanup) return cleanUpProxy();
      await using running = await runProxy(optionsOf(flags));
      void running.started.then(() => process.stdout.write('coracle proxy is running\n'));
      await untilSignal();
    });
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
