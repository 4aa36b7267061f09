import { refs } from '@coracle/api';
import type { Controller } from '../controller.js';
import { runProtection } from '../run-protection.js';

/** Allows the deletion of a volume when it is not bound to a claim. */
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
