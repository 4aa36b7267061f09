import { Command, CommanderError } from 'commander';
import { versionLine } from './commands/version.js';
import { describeFailure } from './process/failure.js';

/** Loads a command without the code of the others. `kubectl` is a separate program (main.ts), here for the help. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import('./commands/up.js')).upCommand(),
  apiserver: async () => (await import('./commands/apiserver.js')).apiserverCommand(),
  'controller-manager': async () => (await import('./commands/components.js')).controllerManagerCommand(),
  scheduler: async () => (await import('./commands/components.js')).schedulerCommand(),
  kubelet: async () => (await import('./commands/kubelet.js')).kubeletCommand(),
  join: async () => (await import('./commands/join.js')).joinCommand(),
  kubectl: async () => new Command('kubectl').description('kubectl v1.36 (coracle kubectl --help lists its commands)'),
  nodes: async () => (await import('./commands/nodes.js')).nodesCommand(),
  token: async () => (await import('./commands/token.js')).tokenCommand(),
  certs: async () => (await import('./commands/certs.js')).certsCommand(),
  proxy: async () => (await import('./commands/proxy.js')).proxyCommand(),
  create: async () => (await import('./commands/create-operator.js')).createCommand(),
  dashboard: async () => (await import('./commands/dashboard.js')).dashboardCommand(),
  trace: async () => (await import('./commands/trace.js')).traceCommand(),
  why: async () => (await import('./commands/why.js')).whyCommand(),
  version: async () => (await import('./commands/version.js')).versionCommand(),
};

/** Runs the command line and returns the exit code. */
export async function runCli(args: readonly string[]): Promise<number> {
  const program = new Command('coracle')
    .description('A whole Kubernetes cluster in one process: API server, store, controllers, scheduler and nodes')
    .version(versionLine, '--version', 'print the version')
    .enablePositionalOptions()
    .showHelpAfterError('(run coracle --help for usage)')
    .exitOverride();
  const [word = ''] = args;
  const needed = Object.hasOwn(commands, word) ? [word] : Object.keys(commands);
  for (const command of await Promise.all(needed.map((name) => commands[name]?.())))
    if (command) program.addCommand(command);
  for (const command of program.commands)
    showListDefaults(command.exitOverride().showHelpAfterError(`(run coracle ${command.name()} --help for usage)`));
  try {
    await program.parseAsync(args.map(withDashes), { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed the error itself; help and version are not errors.
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`${describeFailure(error)}\n`);
    return 1;
  }
}

/** Prints defaults of lists as they are written on the command line: `a,b`, and nothing for an empty list. */
function showListDefaults(command: Command): void {
  for (const option of command.options) {
    const { defaultValue } = option;
    if (!Array.isArray(defaultValue) || option.defaultValueDescription !== undefined) continue;
    if (defaultValue.length > 0) option.default(defaultValue, defaultValue.join(','));
    else option.default(undefined);
  }
}

/** START-08: words of a flag may be separated by underscores too. */
function withDashes(argument: string): string {
  const [name = ''] = argument.split('=', 1);
  return argument.startsWith('--') ? name.replaceAll('_', '-') + argument.slice(name.length) : argument;
}
