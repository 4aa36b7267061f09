import { type Context, print } from '../../command/context.js';
import { ConfigFiles } from './config-files.js';

export async function run(context: Context): Promise<void> {
  const files = await ConfigFiles.load(context);
  print(context, ['NAME', ...files.entries('clusters').map(({ name }) => name)].map((line) => `${line}\n`).join(''));
}
