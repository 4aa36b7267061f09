import type { Context } from '../../command/context.js';
import { type Decision, decide } from './decide.js';

export const denial: Decision = {
  type: 'Denied',
  opposite: 'Approved',
  operation: 'denied',
  reason: 'KubectlDeny',
  message: 'This CSR was denied by kubectl certificate deny.',
};

export function run(context: Context): Promise<void> {
  return decide(context, denial);
}
