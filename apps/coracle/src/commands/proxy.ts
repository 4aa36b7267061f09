import { cleanUpProxy, type RunProxyOptions, runProxy } from '@coracle/cluster';
import { createStderrLogger, type LogLevel } from '@coracle/platform-nodejs';
import { Command, Option } from 'commander';
import { booleanFlag, parseList } from '../flag-values.js';
import { untilSignal } from '../signals.js';

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
    .option('--config <file>', 'a KubeProxyConfiguration; flags go before it')
    .option(
      '--kubeconfig <file>',
      'how to reach the API server (default: $KUBECONFIG, ~/.kube/config, or the pod it runs in)',
    )
    .option('--master <url>', 'address of the API server, instead of that of the kubeconfig')
    .option('--hostname-override <name>', 'the name of the node (default: that of this machine)')
    .option(
      '--cluster-cidr <list>',
      'networks of pods: traffic from elsewhere to cluster addresses is masqueraded',
      parseList,
    )
    .option(
      '--nodeport-addresses <list>',
      'networks of the addresses that node ports are served on (default: all)',
      parseList,
    )
    .option('--healthz-bind-address <host:port>', 'where health is shown (default: 0.0.0.0:10256)')
    .option('--metrics-bind-address <host:port>', 'where metrics are shown (default: 127.0.0.1:10249)')
    .option('--masquerade-all', 'masquerade all traffic to cluster addresses')
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
