import type { Context } from '../../command/context.js';
import { deleteEntry } from './delete-entry.js';

export function run(context: Context): Promise<void> {
  return deleteEntry(context, 'context', 'contexts');
}
