import type { Context } from '../../command/context.js';
import { type Decision, decide } from './decide.js';

export const approval: Decision = {
  type: 'Approved',
  opposite: 'Denied',
  operation: 'approved',
  reason: 'KubectlApprove',
  message: 'This CSR was approved by kubectl certificate approve.',
};

export function run(context: Context): Promise<void> {
  return decide(context, approval);
}
