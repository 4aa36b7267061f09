import { CommandError, ExitCode } from '../../command/command-error.js';
import { type Context, print, warn } from '../../command/context.js';
import { formatHelp } from '../../command/format-help.js';
import { ConfigFiles, type Section } from './config-files.js';

/** `config delete-context NAME` and its like. */
export async function deleteEntry(context: Context, what: string, section: Section): Promise<void> {
  const { args } = context;
  const [name] = args;
  if (args.length !== 1 || name === undefined) return showHelp(context);
  const files = await ConfigFiles.load(context);
  const path = files.defaultPath;
  const wasCurrent = section === 'contexts' && files.current === name;
  if (!files.remove(section, name)) throw new CommandError(`cannot delete ${what} ${name}, not in ${path}`);
  await files.save();
  if (wasCurrent)
    warn(
      context,
      'warning: this removed your active context, use "kubectl config use-context" to select a different one',
    );
  print(context, `deleted ${what} ${name} from ${path}\n`);
}

/** The arguments were invalid. */
export function showHelp({ host, command }: Context): never {
  host.stdout.write(formatHelp(command));
  throw new ExitCode(1);
}
