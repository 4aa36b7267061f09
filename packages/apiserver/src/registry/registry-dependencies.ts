import type { Clock, Random, Tracer } from '@coracle/base';
import type { AdmissionChain } from '../admission/admission-chain.js';
import type { FeatureGates } from '../features/feature-gates.js';
import type { ObjectReader } from '../object-reader.js';
import type { ServiceAllocator } from './core/service-allocation/service-allocator.js';

/** Dependencies of the steps of a write. */
export interface RegistryDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly tracer: Tracer;
  readonly objects: ObjectReader;
  readonly admission: AdmissionChain;
  /** Those of upstream v1.36 unless stated. */
  readonly features?: FeatureGates;
  /** Whether containers may be privileged; true unless stated. */
  readonly allowsPrivileged?: boolean | undefined;
  readonly serviceAllocator?: ServiceAllocator;
}
