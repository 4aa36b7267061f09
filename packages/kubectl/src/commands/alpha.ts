import { type Context, warn } from '../command/context.js';

export async function run(context: Context): Promise<void> {
  warn(context, 'No alpha commands are available in this version of kubectl');
}
