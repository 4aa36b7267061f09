import { CommandError, throwCollected } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { TableWriter } from '../../printers/tab-writer.js';
import { textAt } from '../../values.js';
import { ConfigFiles } from './config-files.js';

export async function run(context: Context): Promise<void> {
  const { flags, args } = context;
  const output = flags.string('output');
  if (!['', 'name'].includes(output)) throw new CommandError(`output must be one of '' or 'name': ${output}`);
  const files = await ConfigFiles.load(context);
  const all = files.entries('contexts');
  const contexts = args.length === 0 ? all : all.filter(({ name }) => args.includes(name));
  const missing = args.filter((name) => !all.some((one) => one.name === name));
  if (output === 'name') print(context, contexts.map(({ name }) => `${name}\n`).join(''));
  else {
    const header = flags.bool('no-headers') ? [] : [['CURRENT', 'NAME', 'CLUSTER', 'AUTHINFO', 'NAMESPACE']];
    const rows = contexts.map(({ name, entry }) => [
      name === files.current ? '*' : '',
      name,
      textAt(entry, 'cluster'),
      textAt(entry, 'user'),
      textAt(entry, 'namespace'),
    ]);
    print(context, new TableWriter().format([...header, ...rows]));
  }
  throwCollected(missing.map((name) => new CommandError(`context ${name} not found`)));
}
