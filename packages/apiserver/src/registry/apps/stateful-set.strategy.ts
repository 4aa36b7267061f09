import type { StatefulSet } from '@coracle/api';
import { templateStrategy } from '../core/pod-template.strategy.js';
import type { Strategy } from '../strategy.js';

export const statefulSetStrategy: Strategy<StatefulSet> = templateStrategy<StatefulSet>(
  { group: 'apps', version: 'v1', kind: 'StatefulSet' },
  ({ spec }) => spec?.template,
  {
    prepareForCreate: (statefulSet) => dropMaxUnavailable(statefulSet, undefined),
    prepareForUpdate: dropMaxUnavailable,
  },
);

/** Updating several pods at a time is off in this release; a set that already asks for it keeps that. */
function dropMaxUnavailable({ spec }: StatefulSet, previous: StatefulSet | undefined): void {
  const { rollingUpdate } = spec?.updateStrategy ?? {};
  if (rollingUpdate && previous?.spec?.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) {
    delete rollingUpdate.maxUnavailable;
  }
}
