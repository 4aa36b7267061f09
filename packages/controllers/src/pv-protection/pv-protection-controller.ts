import { refs } from '@coracle/api';
import type { Controller } from '../controller.js';
import { runProtection } from '../run-protection.js';

/** Lets a volume go when it is bound to no claim any more. */
export const pvProtectionController: Controller = {
  name: 'persistentvolume-protection-controller',
  account: 'pv-protection-controller',
  start: (context) =>
    runProtection(context, {
      name: 'pvprotection',
      ref: refs.persistentVolumes,
      finalizer: 'kubernetes.io/pv-protection',
      isUsed: ({ status }) => status?.phase === 'Bound',
    }),
};
