import type { PersistentVolumeClaim, PersistentVolumeClaimSpec, TypedLocalObjectReference } from '@coracle/api';
import type { Strategy } from '../strategy.js';

export const persistentVolumeClaimStrategy: Strategy<PersistentVolumeClaim> = {
  prepareForCreate(claim) {
    claim.status = { phase: 'Pending' };
    if (claim.spec) matchDataSources(claim.spec, undefined);
  },

  prepareForUpdate(claim, previous) {
    if (previous.status) claim.status = previous.status;
    else delete claim.status;
    if (claim.spec) matchDataSources(claim.spec, previous.spec);
  },

  selectableFields: { name: ({ metadata }) => metadata.name ?? '' },
};

/**
 * `dataSource` came first and takes claims and snapshots only; `dataSourceRef` takes anything.
 * Whichever is given fills the other, as far as it can be said there.
 */
function matchDataSources(spec: PersistentVolumeClaimSpec, previous: PersistentVolumeClaimSpec | undefined): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) {
    if (!previous?.dataSource && !isClaimOrSnapshot(dataSource)) delete spec.dataSource;
    else spec.dataSourceRef = { ...dataSource };
  } else if (dataSourceRef && !dataSource && !dataSourceRef.namespace) {
    const { namespace: _, ...source } = dataSourceRef;
    spec.dataSource = source;
  }
}

function isClaimOrSnapshot({ apiGroup, kind }: TypedLocalObjectReference): boolean {
  if (!apiGroup) return kind === 'PersistentVolumeClaim';
  return apiGroup === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot';
}
