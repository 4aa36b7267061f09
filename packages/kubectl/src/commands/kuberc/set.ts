import { CommandError } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { commandEntries } from '../../command-table/command-entries.js';
import { directoryOf } from '../../paths.js';
import { filesOf } from '../../resources/read-manifests.js';
import { type Fields, formatYaml, recordsAt, textAt } from '../../values.js';
import { emptyKuberc, kubercPath, readKuberc } from './kuberc-file.js';

export async function run(context: Context): Promise<void> {
  const { flags, host } = context;
  const section = flags.string('section');
  const before = (await readKuberc(context)) ?? emptyKuberc;
  const after =
    section === 'defaults'
      ? withDefault(context, before)
      : section === 'aliases'
        ? withAlias(context, before)
        : section === 'credentialplugin'
          ? withPolicy(context, before)
          : undefined;
  if (!after)
    throw new CommandError(
      `invalid section ${JSON.stringify(section)}; must be one of: defaults, aliases, credentialplugin`,
    );
  const path = kubercPath(context);
  await filesOf(host).makeDirectory(directoryOf(path));
  await filesOf(host).write(path, formatYaml(after), 0o600);
  print(context, `Updated ${path}\n`);
}

function optionsOf({ flags }: Context): Fields[] {
  return flags.strings('option').map((pair) => {
    const mark = pair.indexOf('=');
    if (mark <= 0) throw new CommandError(`invalid option format ${JSON.stringify(pair)}: expected NAME=VALUE`);
    return { name: pair.slice(0, mark), default: pair.slice(mark + 1) };
  });
}

function requireCommand({ flags }: Context): string {
  const command = flags.string('command');
  if (command === '') throw new CommandError('--command is required');
  return command;
}

function withDefault(context: Context, kuberc: Fields): Fields {
  const command = requireCommand(context);
  const options = optionsOf(context);
  if (options.length === 0) throw new CommandError('at least one --option is required for section defaults');
  const list = recordsAt(kuberc, 'defaults');
  const before = list.find((one) => textAt(one, 'command') === command);
  if (before && !context.flags.bool('overwrite'))
    throw new CommandError(`defaults for command ${JSON.stringify(command)} already exist, use --overwrite to replace`);
  return { ...kuberc, defaults: [...list.filter((one) => one !== before), { command, options }] };
}

function withAlias(context: Context, kuberc: Fields): Fields {
  const { flags } = context;
  const name = flags.string('name');
  const command = requireCommand(context);
  if (name === '') throw new CommandError('--name is required for section aliases');
  if (commandEntries.some((entry) => entry.name === name))
    throw new CommandError(`alias ${JSON.stringify(name)} is a built-in command`);
  const list = recordsAt(kuberc, 'aliases');
  const before = list.find((one) => textAt(one, 'name') === name);
  if (before && !flags.bool('overwrite'))
    throw new CommandError(`alias ${JSON.stringify(name)} already exists, use --overwrite to replace`);
  const options = optionsOf(context);
  const alias = {
    name,
    command,
    ...(flags.strings('prependarg').length > 0 && { prependArgs: [...flags.strings('prependarg')] }),
    ...(flags.strings('appendarg').length > 0 && { appendArgs: [...flags.strings('appendarg')] }),
    ...(options.length > 0 && { options }),
  };
  return { ...kuberc, aliases: [...list.filter((one) => one !== before), alias] };
}

function withPolicy({ flags }: Context, kuberc: Fields): Fields {
  const policy = flags.string('policy');
  if (!['AllowAll', 'DenyAll', 'Allowlist'].includes(policy))
    throw new CommandError(`invalid policy ${JSON.stringify(policy)}; must be one of: AllowAll, DenyAll, Allowlist`);
  const entries = flags.strings('allowlist-entry').map((name) => ({ command: name.replace(/^(?:name|command)=/, '') }));
  return {
    ...kuberc,
    credentialPluginPolicy: policy,
    ...(entries.length > 0 && { credentialPluginAllowlist: entries }),
  };
}
