import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Deferred } from '@coracle/base';
import { type ComponentOptions, readSchedulerConfiguration, runComponent, statedProcessFields } from '@coracle/cluster';
import { createStderrLogger, type LogLevel } from '@coracle/platform-nodejs';
import { Command, Option } from 'commander';
import {
  addControllerManagerFlags,
  type ControllerManagerFlags,
  controllerSettings,
} from '../controller-manager-flags.js';
import { flagTexts } from '../flag-texts.js';
import { booleanFlag, collect, durationFlag, parseCount, parseList } from '../flag-values.js';
import { configuredFlags, isUsedByScheduler, sayUnused } from '../scheduler-configuration.js';
import { onDebugSignal, untilSignal } from '../signals.js';
import { signingFiles } from '../signing-flags.js';

/** What components that stand beside an API server have in common. */
export interface ComponentFlags {
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
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly clientCaFile?: string;
  readonly authorizationAlwaysAllowPaths: readonly string[];
  readonly logLevel: LogLevel;
}

export function controllerManagerCommand(): Command {
  const command = componentCommand({
    component: 'controller-manager',
    description: 'run the controllers against an API server',
    port: 10257,
  });
  return addControllerManagerFlags(command).action((flags: ComponentFlags & ControllerManagerFlags, ran: Command) => {
    const { rootCaFile, serviceAccountPrivateKeyFile: tokenKeyFile } = flags;
    return run('controller-manager', flags, {
      controllers: controllerSettings(flags),
      useServiceAccounts: flags.useServiceAccountCredentials,
      ...(rootCaFile && { rootCaFile }),
      ...(tokenKeyFile && { tokenKeyFile }),
      ...signingFiles(flags),
      config: { 'kubecontrollermanager.config.k8s.io': flags },
      flags: flagTexts(ran),
    });
  });
}

interface SchedulerFlags {
  readonly config?: string;
  readonly plugin: readonly string[];
}

export function schedulerCommand(): Command {
  return componentCommand({
    component: 'scheduler',
    description: 'run the scheduler against an API server',
    port: 10259,
  })
    .option('--config <file>', 'KubeSchedulerConfiguration file')
    .option('--plugin <file>', 'module with a scheduler plugin; may be repeated', collect, [] as readonly string[])
    .action(async (flags: ComponentFlags & SchedulerFlags, ran: Command) => {
      const configuration = await readSchedulerConfiguration(flags.config);
      sayUnused(statedProcessFields(configuration, isUsedByScheduler));
      return run('scheduler', configuredFlags(flags, ran, configuration), {
        debugRequests: onDebugSignal,
        flags: flagTexts(ran),
        schedulerConfiguration: configuration,
        schedulerPlugins: flags.plugin,
      });
    });
}

interface ComponentWords {
  readonly component: ComponentOptions['component'];
  readonly description: string;
  readonly port: number;
}

function componentCommand({ component, description, port }: ComponentWords): Command {
  return new Command(component)
    .description(description)
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
    .option('--leader-elect-resource-name <name>', 'name of the lease', `kube-${component}`)
    .option('--leader-elect-resource-namespace <namespace>', 'namespace of the lease', 'kube-system')
    .option('--bind-address <address>', 'address to serve health and metrics on', '0.0.0.0')
    .option('--secure-port <port>', 'port to serve health and metrics on over HTTPS; 0 disables it', parseCount, port)
    .option('--tls-cert-file <file>', 'serving certificate (default: generated)')
    .option('--tls-private-key-file <file>', 'key of the serving certificate')
    .option('--client-ca-file <file>', 'CA bundle that verifies client certificates')
    .option('--authorization-always-allow-paths <list>', 'paths that need no authorization', parseList, [
      '/healthz',
      '/readyz',
      '/livez',
    ])
    .addOption(new Option('--log-level <level>', 'log level').choices(['error', 'info', 'debug']).default('error'));
}

async function run(
  component: ComponentOptions['component'],
  flags: ComponentFlags,
  more: Partial<ComponentOptions>,
): Promise<void> {
  const { kubeconfig, master } = flags;
  const lost = new Deferred<never>();
  // It may be lost before it is awaited.
  lost.promise.catch(() => undefined);
  await using _running = await runComponent({
    ...more,
    component,
    logger: createStderrLogger({ level: flags.logLevel }),
    ...(kubeconfig && { kubeconfig }),
    ...(master && { master }),
    ...(flags.leaderElect && { leaderElection: { ...electionOf(flags), onLost: () => lost.reject(leaseLost()) } }),
    ...(flags.securePort > 0 && { serving: servingOf(flags) }),
  });
  process.stdout.write(`coracle ${component} is running\n`);
  await Promise.race([untilSignal(), lost.promise]);
}

/** What it has not seen yet of the new leader's work it must not act on: the supervisor starts it again. */
function leaseLost(): Error {
  return new Error('leaderelection lost');
}

/** Two processes of one host must not take each other for themselves. */
function electionOf(flags: ComponentFlags): NonNullable<ComponentOptions['leaderElection']> {
  return {
    identity: `${hostname()}_${randomUUID()}`,
    lease: { namespace: flags.leaderElectResourceNamespace, name: flags.leaderElectResourceName },
    leaseDurationMs: flags.leaderElectLeaseDuration,
    renewDeadlineMs: flags.leaderElectRenewDeadline,
    retryPeriodMs: flags.leaderElectRetryPeriod,
  };
}

function servingOf(flags: ComponentFlags): NonNullable<ComponentOptions['serving']> {
  const { bindAddress: host, securePort: port, tlsCertFile, tlsPrivateKeyFile, clientCaFile } = flags;
  return {
    host,
    port,
    alwaysAllowed: flags.authorizationAlwaysAllowPaths,
    ...(tlsCertFile && tlsPrivateKeyFile && { certificate: { certFile: tlsCertFile, keyFile: tlsPrivateKeyFile } }),
    ...(clientCaFile && { clientCaFile }),
  };
}
