import type { LimitRange } from '@coracle/api';
import { randomUuid } from '@coracle/base';
import { nullEmptyLists } from '../null-empty-lists.js';
import type { Strategy } from '../strategy.js';

/** The only kind that gets a generated name if it has none. */
export const limitRangeStrategy: Strategy<LimitRange> = {
  allowCreateOnUpdate: true,
  canonicalize: nullEmptyLists('spec.limits'),

  prepareForCreate({ metadata }, { random }) {
    if (!metadata.name && !metadata.generateName) metadata.name = randomUuid(random);
  },
};
