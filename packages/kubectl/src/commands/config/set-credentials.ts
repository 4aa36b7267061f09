import { CommandError } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { type Fields, recordAt, recordsAt, textAt } from '../../values.js';
import { ConfigFiles } from './config-files.js';
import { showHelp } from './delete-entry.js';
import { setFile } from './set-cluster.js';

export async function run(context: Context): Promise<void> {
  const { flags, args } = context;
  const [name] = args;
  if (args.length !== 1 || name === undefined) return showHelp(context);
  checkMethods(context);
  const files = await ConfigFiles.load(context);
  const entry: Fields = { ...files.entry('users', name) };
  for (const field of ['client-certificate', 'client-key'])
    if (flags.changed(field)) await setFile(context, entry, { field, flag: field });
  setPassword(context, entry);
  setAuthProvider(context, entry);
  setExec(context, entry);
  files.set('users', name, entry);
  await files.save();
  print(context, `User ${JSON.stringify(name)} set.\n`);
}

function checkMethods({ flags }: Context): void {
  const methods = [
    ...(flags.string('token') === '' ? [] : ['--token']),
    ...(flags.string('username') === '' && flags.string('password') === '' ? [] : ['--username/--password']),
  ];
  if (methods.length > 1)
    throw new CommandError(
      `you cannot specify more than one authentication method at the same time: ${methods.join(', ')}`,
    );
  if (flags.bool('embed-certs') && !flags.changed('client-certificate') && !flags.changed('client-key'))
    throw new CommandError('you must specify a --client-certificate or --client-key to embed');
  const mode = flags.string('exec-interactive-mode');
  if (mode !== '' && !['Never', 'IfAvailable', 'Always'].includes(mode))
    throw new CommandError(`invalid exec-interactive-mode: ${mode}`);
}

/** A token replaces a password, and the other way round. */
function setPassword({ flags }: Context, entry: Fields): void {
  if (flags.changed('token')) {
    entry['token'] = flags.string('token');
    if (flags.string('token') !== '') {
      delete entry['username'];
      delete entry['password'];
    }
  }
  for (const field of ['username', 'password']) {
    if (!flags.changed(field)) continue;
    entry[field] = flags.string(field);
    if (flags.string(field) !== '') delete entry['token'];
  }
}

function setAuthProvider({ flags }: Context, entry: Fields): void {
  if (!flags.changed('auth-provider') && !flags.changed('auth-provider-arg')) return;
  const before = recordAt(entry, 'auth-provider');
  const config = { ...recordAt(before, 'config') };
  for (const pair of flags.strings('auth-provider-arg')) {
    if (pair.endsWith('-')) delete config[pair.slice(0, -1)];
    else {
      const [key = '', value] = pair.split(/=(.*)/s);
      if (value === undefined) throw new CommandError(`Error: unrecognized auth-provider-arg: ${pair}`);
      config[key] = value;
    }
  }
  const name = flags.changed('auth-provider') ? flags.string('auth-provider') : textAt(before, 'name');
  entry['auth-provider'] = { name, config };
}

function setExec({ flags }: Context, entry: Fields): void {
  const names = [
    'exec-command',
    'exec-arg',
    'exec-env',
    'exec-api-version',
    'exec-interactive-mode',
    'exec-provide-cluster-info',
  ];
  if (!names.some((name) => flags.changed(name))) return;
  const exec: Fields = { ...recordAt(entry, 'exec') };
  if (flags.changed('exec-command')) exec['command'] = flags.string('exec-command');
  if (flags.changed('exec-api-version')) exec['apiVersion'] = flags.string('exec-api-version');
  if (flags.changed('exec-arg')) exec['args'] = [...flags.strings('exec-arg')];
  if (flags.changed('exec-interactive-mode')) exec['interactiveMode'] = flags.string('exec-interactive-mode');
  exec['provideClusterInfo'] = flags.changed('exec-provide-cluster-info')
    ? flags.bool('exec-provide-cluster-info')
    : (exec['provideClusterInfo'] ?? false);
  if (flags.changed('exec-env')) exec['env'] = environment(recordsAt(exec, 'env'), flags.strings('exec-env'));
  exec['args'] ??= null;
  exec['env'] ??= null;
  entry['exec'] = exec;
}

function environment(before: readonly Fields[], pairs: readonly string[]): Fields[] {
  const variables = new Map(before.map((one) => [textAt(one, 'name'), textAt(one, 'value')]));
  for (const pair of pairs) {
    if (pair.endsWith('-') && !pair.includes('=')) variables.delete(pair.slice(0, -1));
    else {
      const [key = '', value = ''] = pair.split(/=(.*)/s);
      variables.set(key, value);
    }
  }
  return [...variables].map(([name, value]) => ({ name, value }));
}
