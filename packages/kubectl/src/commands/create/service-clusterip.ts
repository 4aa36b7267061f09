import type { Context } from '../../command/context.js';
import type { Generated } from './generated.js';
import { serviceOf } from './service.js';

export function generate(context: Context): Generated {
  return serviceOf(
    context,
    'ClusterIP',
    context.flags.string('clusterip') === '' ? {} : { clusterIP: context.flags.string('clusterip') },
  );
}
