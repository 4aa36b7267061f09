import { toBase64 } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { messageOf } from '../../command/format-error.js';
import { resolvePath } from '../../paths.js';
import { filesOf } from '../../resources/read-manifests.js';
import type { Fields } from '../../values.js';
import { ConfigFiles } from './config-files.js';
import { showHelp } from './delete-entry.js';

export async function run(context: Context): Promise<void> {
  const { flags, args } = context;
  const [name] = args;
  if (args.length !== 1 || name === undefined) return showHelp(context);
  const files = await ConfigFiles.load(context);
  const entry: Fields = { ...files.entry('clusters', name) };
  if (flags.changed('server')) entry['server'] = flags.string('server');
  if (flags.changed('tls-server-name')) entry['tls-server-name'] = flags.string('tls-server-name');
  if (flags.changed('proxy-url')) entry['proxy-url'] = flags.string('proxy-url');
  if (flags.changed('insecure-skip-tls-verify')) {
    entry['insecure-skip-tls-verify'] = flags.bool('insecure-skip-tls-verify');
    if (flags.bool('insecure-skip-tls-verify')) {
      delete entry['certificate-authority'];
      delete entry['certificate-authority-data'];
    }
  }
  if (flags.changed('certificate-authority'))
    await setFile(context, entry, { field: 'certificate-authority', flag: 'certificate-authority' });
  files.set('clusters', name, entry);
  await files.save();
  print(context, `Cluster ${JSON.stringify(name)} set.\n`);
}

/** Sets a file by its path, or with `--embed-certs` by its content. */
export async function setFile(
  { flags, host }: Context,
  entry: Fields,
  { field, flag }: { readonly field: string; readonly flag: string },
): Promise<void> {
  const path = flags.string(flag);
  const embeds = flags.bool('embed-certs');
  delete entry[field];
  delete entry[`${field}-data`];
  if (path === '') return;
  const files = filesOf(host);
  if (!embeds) {
    entry[field] = resolvePath(files.workingDirectory, path);
    return;
  }
  try {
    await files.stat(path);
  } catch (error) {
    throw new CommandError(`could not stat ${flag} file ${path}: ${messageOf(error)}`);
  }
  entry[`${field}-data`] = toBase64(await files.read(path));
}
