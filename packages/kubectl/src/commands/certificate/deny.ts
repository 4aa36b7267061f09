import type { Context } from '../../command/context.js';
import { decide } from './decide.js';

export function run(context: Context): Promise<void> {
  return decide(context, {
    type: 'Denied',
    opposite: 'Approved',
    operation: 'denied',
    reason: 'KubectlDeny',
    message: 'This CSR was denied by kubectl certificate deny.',
  });
}
