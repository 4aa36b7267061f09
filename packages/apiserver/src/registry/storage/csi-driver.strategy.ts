import type { KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { Strategy } from '../strategy.js';

interface CsiDriver extends KubeObject {
  readonly spec?: { preventPodSchedulingIfMissing?: boolean };
}

/** Counts changes, though not from one: a driver that was never changed has no generation. */
export const csiDriverStrategy: Strategy<CsiDriver> = {
  allowUnconditionalUpdate: false,

  // The feature behind this field is not on.
  prepareForCreate({ spec }) {
    delete spec?.preventPodSchedulingIfMissing;
  },

  prepareForUpdate(driver, previous) {
    if (previous.spec?.preventPodSchedulingIfMissing === undefined) delete driver.spec?.preventPodSchedulingIfMissing;
    if (deepEqual(driver.spec, previous.spec)) return;
    driver.metadata.generation = (previous.metadata.generation ?? 0) + 1;
  },
};
