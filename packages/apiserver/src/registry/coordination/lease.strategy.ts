import type { Lease } from '@coracle/api';
import type { Strategy } from '../strategy.js';

/** These fields have no effect, because coordinated leader election is disabled. */
export const leaseStrategy: Strategy<Lease> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,

  prepareForCreate({ spec }) {
    delete spec?.strategy;
    delete spec?.preferredHolder;
  },

  prepareForUpdate({ spec }, previous) {
    if (previous.spec?.strategy === undefined) delete spec?.strategy;
    if (previous.spec?.preferredHolder === undefined) delete spec?.preferredHolder;
  },
};
