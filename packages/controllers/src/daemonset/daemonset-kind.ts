import { type DaemonSet, refs } from '@coracle/api';
import { ownerSelector, type PodOwnerKind } from '../pod-owners.js';

export const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet' } as const;

export const daemonSetKind: PodOwnerKind<DaemonSet> = {
  ...owner,
  ref: refs.daemonSets,
  selectorOf: ({ spec }) => ownerSelector(spec?.selector),
};
