import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Deferred } from '@coracle/base';
import { type ComponentOptions, readSchedulerConfiguration, runComponent, statedProcessFields } from '@coracle/cluster';
import { createStderrLogger } from '@coracle/platform-nodejs';
import { Command } from 'commander';
import {
  addComponentFlags,
  addFlagsWithoutEffect,
  type ComponentFlags,
  componentOptions,
  idleFlags,
} from '../flags/component-flags.js';
import {
  addControllerManagerFlags,
  type ControllerManagerFlags,
  controllerSettings,
} from '../flags/controller-manager-flags.js';
import { flagTexts } from '../flags/flag-texts.js';
import { collect } from '../flags/flag-values.js';
import { warnOfIdle } from '../flags/idle-flags.js';
import { checkPemFiles } from '../flags/pem-files.js';
import { configuredFlags, isUsedByScheduler, sayUnused } from '../flags/scheduler-configuration.js';
import { signingFiles } from '../flags/signing-flags.js';
import { onDebugSignal, untilSignal } from '../process/signals.js';

export function controllerManagerCommand(): Command {
  const command = componentCommand({
    component: 'controller-manager',
    description: 'run the controllers against an API server',
    port: 10257,
  });
  const withoutEffect = addFlagsWithoutEffect(addControllerManagerFlags(command), 'controller-manager');
  return command.action((flags: ComponentFlags & ControllerManagerFlags, ran: Command) => {
    const { rootCaFile, serviceAccountPrivateKeyFile: tokenKeyFile } = flags;
    warnOfIdleFlags(flags, withoutEffect);
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
  const command = componentCommand({
    component: 'scheduler',
    description: 'run the scheduler against an API server',
    port: 10259,
  });
  const withoutEffect = addFlagsWithoutEffect(command, 'scheduler');
  return command
    .option('--config <file>', 'KubeSchedulerConfiguration file')
    .option('--plugin <file>', 'module with a scheduler plugin; may be repeated', collect, [] as readonly string[])
    .action(async (flags: ComponentFlags & SchedulerFlags, ran: Command) => {
      warnOfIdleFlags(flags, withoutEffect);
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
  return addComponentFlags(new Command(component).description(description), component, port);
}

function warnOfIdleFlags(flags: ComponentFlags, withoutEffect: readonly string[]): void {
  warnOfIdle(idleFlags(flags, withoutEffect));
}

async function run(
  component: ComponentOptions['component'],
  flags: ComponentFlags,
  more: Partial<ComponentOptions>,
): Promise<void> {
  const lost = new Deferred<never>();
  // It may be lost before it is awaited.
  lost.promise.catch(() => undefined);
  await checkPemFiles(flags);
  await using _running = await runComponent({
    ...more,
    component,
    logger: createStderrLogger({ level: flags.logLevel }),
    ...(await componentOptions(flags)),
    ...(flags.leaderElect && { leaderElection: { ...electionOf(flags), onLost: () => lost.reject(leaseLost()) } }),
  });
  process.stdout.write(`coracle ${component} is running\n`);
  await Promise.race([untilSignal(), lost.promise]);
}

/** It may not have observed the new leader's changes yet, so it exits: the supervisor starts it again. */
function leaseLost(): Error {
  return new Error('leaderelection lost');
}

/** Two processes on one host must have different identities. */
function electionOf(flags: ComponentFlags): NonNullable<ComponentOptions['leaderElection']> {
  return {
    identity: `${hostname()}_${randomUUID()}`,
    lease: { namespace: flags.leaderElectResourceNamespace, name: flags.leaderElectResourceName },
    leaseDurationMs: flags.leaderElectLeaseDuration,
    renewDeadlineMs: flags.leaderElectRenewDeadline,
    retryPeriodMs: flags.leaderElectRetryPeriod,
  };
}
