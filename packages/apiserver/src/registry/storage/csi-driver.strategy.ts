import type { KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { dropFieldsOf } from '../disabled-fields.js';
import type { Strategy } from '../strategy.js';

interface CsiDriver extends KubeObject {
  readonly spec?: unknown;
}

const dropDisabled = dropFieldsOf({ VolumeLimitScaling: ['spec.preventPodSchedulingIfMissing'] });

/** Counts changes from zero: a driver that was never changed has no generation. */
export const csiDriverStrategy: Strategy<CsiDriver> = {
  dropDisabled,
  allowUnconditionalUpdate: false,

  prepareForUpdate(driver, previous, { features }) {
    dropDisabled(driver, features, previous);
    if (deepEqual(driver.spec, previous.spec)) return;
    driver.metadata.generation = (previous.metadata.generation ?? 0) + 1;
  },
};
