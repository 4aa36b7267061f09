import type { FieldError, FieldSet, KubeObject, StatusError } from '@coracle/apimachinery';
import type { Clock, Random } from '@coracle/base';
import type { FeatureGates } from '../features/feature-gates.js';
import type { ObjectReader } from '../object-reader.js';
import type { UserInfo } from '../user-info.js';
import type { ServiceAllocator } from './core/service-allocation/service-allocator.js';
import type { DropDisabledFields } from './disabled-fields.js';
import type { ClientMetadata } from './keep-metadata.js';
import type { Reservation } from './reservation.js';

/** Dependencies of a strategy besides the objects. */
export interface StrategyContext {
  readonly user: UserInfo;
  readonly clock: Clock;
  readonly random: Random;
  readonly objects: ObjectReader;
  readonly features: FeatureGates;
  /** Whether containers may be privileged. */
  readonly allowsPrivileged: boolean;
  /** Absent in writes of the allocator itself, which allocate nothing. */
  readonly serviceAllocator?: ServiceAllocator;
  readonly dryRun: boolean;
  /** The version of the request, which may differ from the storage version. */
  readonly apiVersion?: string;
}

/**
 * The differences of a resource from the common behaviour. The registry owns the common steps.
 *
 * Objects are in their canonical form with defaults set. `object` belongs to the request and may be changed in the
 * `prepare` functions; `previous` is shared and must not be changed. An absent function means the common behaviour.
 * Defaults and validation of the kind itself are in `@coracle/api`.
 */
export interface Strategy<T extends KubeObject = KubeObject> {
  /** Called after each of the `prepare` functions, to drop fields of disabled features. */
  readonly dropDisabled?: DropDisabledFields;
  /** Drops fields that clients may not set (status), sets fields that the server sets (phase, generation). */
  prepareForCreate?(object: T, context: StrategyContext): void;
  /** Validation that needs the context, in addition to that of the kind. */
  validateCreate?(object: T, context: StrategyContext): FieldError[];
  /** Restores fields that this endpoint may not change (status on the main one); increases the generation. */
  prepareForUpdate?(object: T, previous: T, context: StrategyContext): void;
  validateUpdate?(object: T, previous: T, context: StrategyContext): FieldError[];
  /**
   * Converts the object to the form in which it is stored, before it is validated and shared. `previous` is absent for
   * new objects.
   */
  canonicalize?(object: T, previous?: T): void;
  /**
   * The functions above must not change a spec that is identical to the one of `previous`, so that an update which does
   * not change the spec need not copy it.
   */
  readonly leavesSameSpec?: boolean;
  /** Fields of the metadata that the status endpoint does not change. None unless stated. */
  readonly statusKeeps?: readonly ClientMetadata[];
  /**
   * The same two functions for the status endpoint. By default: the new status and metadata in the previous object.
   */
  prepareForStatusUpdate?(object: T, previous: T, context: StrategyContext): void;
  validateStatusUpdate?(object: T, previous: T, context: StrategyContext): FieldError[];
  warningsOnCreate?(object: T, context: StrategyContext): string[];
  warningsOnUpdate?(object: T, previous: T, context: StrategyContext): string[];

  /** Reads and watches go to the store; nothing is cached in memory. */
  readonly uncached?: boolean;
  /** Whether a PUT of an object that does not exist creates it (leases, but not config maps …). */
  readonly allowCreateOnUpdate?: boolean;
  /** PUT without a resourceVersion replaces whatever is there. True unless stated. */
  readonly allowUnconditionalUpdate?: boolean;
  /** Whether `metadata.generation` counts changes of the spec. False unless stated. */
  readonly hasGeneration?: boolean;

  /**
   * The fields that clients cannot write through an endpoint (empty for the main one), and that no field manager owns
   * by sending them. By default: the status on the main endpoint, the spec and what `statusKeeps` on that of the
   * status.
   */
  resetFields?(subresource: string): FieldSet | undefined;

  /**
   * Grace period in seconds; with 0 the object is marked and removed at once. `undefined` for removal without a mark.
   * Only pods have a grace period.
   */
  graceSeconds?(object: T, requested: number | undefined): number | undefined;
  /** Objects expire after this long (events). */
  readonly ttlSeconds?: number;
  /**
   * The fields that field selectors may use besides metadata.name and metadata.namespace; the leading ones are indexed.
   */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** Group → the strategy for clients that use the resource in that group, if it has other fields there. */
  readonly selectableFieldsIn?: Readonly<Record<string, Readonly<Record<string, (object: T) => string>>>>;
  readonly indexedFields?: readonly string[];
  /** Default deletion propagation policy. */
  readonly defaultPropagation?: 'Background' | 'Orphan';

  /**
   * Allocates values for the object (addresses, ports) after validation, before it is stored. Of the result, `commit`
   * is called when the object is stored, `release` when it is not.
   */
  reserve?(
    object: T,
    previous: T | undefined,
    context: StrategyContext,
  ): Promise<Reservation | undefined> | Reservation | undefined;
  /**
   * Work besides `metadata.finalizers` that must be done before the object may be removed (a namespace's own
   * finalizers).
   */
  holdsDeletion?(object: T): boolean;
  /** Called when an object is marked for deletion but not yet removed (a namespace becomes `Terminating`). */
  prepareForDelete?(object: T, context: StrategyContext): void;
  /** Called after the object is removed. */
  afterDelete?(object: T, context: StrategyContext): void | Promise<void>;
  /** Refuses a deletion by name; `undefined` allows it. */
  refuseDelete?(object: T, context: StrategyContext): StatusError | undefined;
}

/** Resource → its strategy. Each has its own type, which the caller knows. */
export type StrategyTable = Readonly<Record<string, Strategy<never>>>;
