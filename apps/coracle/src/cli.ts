import { Command, CommanderError } from 'commander';
import { apiserverCommand } from './commands/apiserver.js';
import { certsCommand } from './commands/certs.js';
import { controllerManagerCommand, schedulerCommand } from './commands/components.js';
import { createCommand } from './commands/create-operator.js';
import { joinCommand } from './commands/join.js';
import { kubeletCommand } from './commands/kubelet.js';
import { proxyCommand } from './commands/proxy.js';
import { tokenCommand } from './commands/token.js';
import { traceCommand } from './commands/trace.js';
import { upCommand } from './commands/up.js';
import { versionCommand } from './commands/version.js';
import { whyCommand } from './commands/why.js';
import { describeFailure } from './failure.js';

/** Runs the command line and gives the exit code. */
export async function runCli(args: readonly string[]): Promise<number> {
  const program = new Command('coracle')
    .description('Kubernetes, whole, in one process: API server, store, controllers, scheduler and nodes')
    .addCommand(upCommand())
    .addCommand(apiserverCommand())
    .addCommand(controllerManagerCommand())
    .addCommand(schedulerCommand())
    .addCommand(kubeletCommand())
    .addCommand(joinCommand())
    .addCommand(tokenCommand())
    .addCommand(certsCommand())
    .addCommand(proxyCommand())
    .addCommand(createCommand())
    .addCommand(traceCommand())
    .addCommand(whyCommand())
    .addCommand(versionCommand())
    .showHelpAfterError('(coracle --help shows what there is)')
    .exitOverride();
  for (const command of program.commands)
    command.exitOverride().showHelpAfterError(`(coracle ${command.name()} --help shows what there is)`);
  try {
    await program.parseAsync(args.map(withDashes), { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said what is wrong by itself; help and version are no failures.
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`${describeFailure(error)}\n`);
    return 1;
  }
}

/** START-08: the words of a flag may be set apart by underscores too. */
function withDashes(argument: string): string {
  const [name = ''] = argument.split('=', 1);
  return argument.startsWith('--') ? name.replaceAll('_', '-') + argument.slice(name.length) : argument;
}
