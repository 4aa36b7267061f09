import { fromBase64, toBase64 } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { ConfigFiles } from './config-files.js';
import { showHelp } from './delete-entry.js';
import { parseProperty } from './property.js';

const flagFields = ['insecure-skip-tls-verify', 'disable-compression'];

export async function run(context: Context): Promise<void> {
  const [name, value] = context.args;
  if (context.args.length !== 2 || name === undefined || value === undefined) return showHelp(context);
  const files = await ConfigFiles.load(context);
  const property = parseProperty(name, files);
  if (property.kind === 'current-context') files.setCurrent(value);
  else {
    const { section, name: entryName, field } = property;
    if (field === '') throw new CommandError(`can't set ${section}.${entryName} to ${value}: it is no single value`);
    files.set(section, entryName, {
      ...files.entry(section, entryName),
      [field]: propertyValue(context, field, value),
    });
  }
  await files.save();
  print(context, `Property ${JSON.stringify(name)} set.\n`);
}

function propertyValue({ flags }: Context, field: string, value: string): unknown {
  if (flagFields.includes(field)) {
    if (!/^(1|0|t|f|true|false)$/i.test(value))
      throw new CommandError(`strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`);
    return /^(1|t|true)$/i.test(value);
  }
  if (!field.endsWith('-data')) return value;
  if (flags.bool('set-raw-bytes')) return toBase64(new TextEncoder().encode(value));
  if (fromBase64(value) === undefined) throw new CommandError(`error decoding base64: illegal base64 data`);
  return value;
}
