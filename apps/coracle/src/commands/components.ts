import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type ComponentOptions, runComponent } from '@coracle/cluster';
import { createStderrLogger, type LogLevel } from '@coracle/platform-nodejs';
import { Command, Option } from 'commander';
import { untilSignal } from '../signals.js';

interface ComponentFlags {
  readonly kubeconfig?: string;
  readonly leaderElect: string;
  readonly rootCaFile?: string;
  readonly logLevel: LogLevel;
}

export function controllerManagerCommand(): Command {
  return componentCommand('controller-manager', 'run the controllers against an API server')
    .option('--root-ca-file <file>', 'the CA certificate that is published into every namespace')
    .action((flags: ComponentFlags) => run('controller-manager', flags));
}

export function schedulerCommand(): Command {
  return componentCommand('scheduler', 'run the scheduler against an API server').action((flags: ComponentFlags) =>
    run('scheduler', flags),
  );
}

function componentCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option(
      '--kubeconfig <file>',
      'how to reach the API server, and as whom (default: $KUBECONFIG, ~/.kube/config, or the pod it runs in)',
    )
    .addOption(
      new Option('--leader-elect <bool>', 'work only while this process holds the lease')
        .choices(['true', 'false'])
        .default('true'),
    )
    .addOption(
      new Option('--log-level <level>', 'what is written to standard error')
        .choices(['error', 'info', 'debug'])
        .default('error'),
    );
}

async function run(component: ComponentOptions['component'], flags: ComponentFlags): Promise<void> {
  await using _running = await runComponent({
    component,
    logger: createStderrLogger({ level: flags.logLevel }),
    ...(flags.kubeconfig && { kubeconfig: flags.kubeconfig }),
    ...(flags.rootCaFile && { rootCaFile: flags.rootCaFile }),
    ...(flags.leaderElect === 'true' && { identity: `${hostname()}_${randomUUID()}` }),
  });
  process.stdout.write(`coracle ${component} is running\n`);
  await untilSignal();
}
