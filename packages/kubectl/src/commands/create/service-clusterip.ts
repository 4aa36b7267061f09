import type { Context } from '../../command/context.js';
import { createService } from './service.js';

export function run(context: Context): Promise<void> {
  return createService(
    context,
    'ClusterIP',
    context.flags.string('clusterip') === '' ? {} : { clusterIP: context.flags.string('clusterip') },
  );
}
