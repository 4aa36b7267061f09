import type { Context } from '../../command/context.js';
import { decide } from './decide.js';

export function run(context: Context): Promise<void> {
  return decide(context, {
    type: 'Approved',
    opposite: 'Denied',
    operation: 'approved',
    reason: 'KubectlApprove',
    message: 'This CSR was approved by kubectl certificate approve.',
  });
}
