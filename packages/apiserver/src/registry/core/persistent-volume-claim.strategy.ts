import type { PersistentVolumeClaim, PersistentVolumeClaimSpec, TypedLocalObjectReference } from '@coracle/api';
import type { FeatureGates } from '../../features/feature-gates.js';
import type { Strategy } from '../strategy.js';

export const persistentVolumeClaimStrategy: Strategy<PersistentVolumeClaim> = {
  prepareForCreate(claim, { features }) {
    claim.status = { phase: 'Pending' };
    if (!claim.spec) return;
    dropForeignSource(claim.spec, features);
    matchDataSources(claim.spec, undefined);
  },

  prepareForUpdate(claim, previous, { features }) {
    if (previous.status) claim.status = previous.status;
    else delete claim.status;
    if (!claim.spec) return;
    dropForeignSource(claim.spec, features, previous.spec);
    matchDataSources(claim.spec, previous.spec);
  },
};

/** Drops data sources of other namespaces, unless the feature is enabled or the claim has such a source already. */
function dropForeignSource(
  spec: PersistentVolumeClaimSpec,
  features: FeatureGates,
  previous?: PersistentVolumeClaimSpec,
): void {
  if (features.isOn('CrossNamespaceVolumeDataSource') || previous?.dataSourceRef) return;
  if (spec.dataSourceRef?.namespace) delete spec.dataSourceRef;
}

/**
 * `dataSource` accepts claims and snapshots only; the newer `dataSourceRef` accepts any object. Each of the two fields
 * sets the other where possible.
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
