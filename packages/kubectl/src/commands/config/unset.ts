import { type Context, print } from '../../command/context.js';
import { ConfigFiles } from './config-files.js';
import { showHelp } from './delete-entry.js';
import { parseProperty } from './property.js';

export async function run(context: Context): Promise<void> {
  const [name] = context.args;
  if (context.args.length !== 1 || name === undefined) return showHelp(context);
  const files = await ConfigFiles.load(context);
  const property = parseProperty(name, files);
  if (property.kind === 'current-context') files.setCurrent('');
  else {
    const { section, name: entryName, field } = property;
    if (field === '') files.remove(section, entryName);
    else {
      const { [field]: _, ...rest } = files.entry(section, entryName) ?? {};
      files.set(section, entryName, rest);
    }
  }
  await files.save();
  print(context, `Property ${JSON.stringify(name)} unset.\n`);
}
