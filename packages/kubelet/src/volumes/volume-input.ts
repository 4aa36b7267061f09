import type { Pod, ServiceAccountTokenProjection } from '@coracle/api';
import type { PodCertificates } from '../certificates/pod-certificates.js';
import type { PodPlace } from '../environment/pod-field.js';
import type { PodReferences } from '../pod-references.js';

/** Inputs of volume plans. */
export interface VolumeInput extends PodPlace {
  /** Root directory of the kubelet: `/var/lib/kubelet`. */
  readonly root: string;
  readonly references: PodReferences;
  readonly allocatable: Readonly<Record<string, string>>;
  /** Requests a token of the pod's service account. */
  readonly requestToken: (pod: Pod, projection: ServiceAccountTokenProjection) => Promise<string>;
  /** Requests certificates from signers; absent on simulated nodes, whose files are not read. */
  readonly certificates?: Pick<PodCertificates, 'credentials'> | undefined;
}
