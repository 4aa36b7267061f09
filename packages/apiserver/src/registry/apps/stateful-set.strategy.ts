import type { StatefulSet } from '@coracle/api';
import { templateStrategy } from '../core/pod-template.strategy.js';
import { dropFieldsOf } from '../disabled-fields.js';
import type { Strategy } from '../strategy.js';

export const statefulSetStrategy: Strategy<StatefulSet> = templateStrategy<StatefulSet>(
  { group: 'apps', version: 'v1', kind: 'StatefulSet' },
  ({ spec }) => spec?.template,
  {
    dropDisabled: dropFieldsOf({
      MaxUnavailableStatefulSet: ['spec.updateStrategy.rollingUpdate.maxUnavailable'],
    }),
  },
);
