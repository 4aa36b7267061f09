import type { GroupVersionKind, GroupVersionResource, KubeObject, ObjectSchema } from '@coracle/apimachinery';
import type { MaybePromise } from '@coracle/base';
import type { Annotate } from '../audit/audit-event.js';
import type { RequestLifetime } from '../request-lifetime.js';
import type { UserInfo } from '../user-info.js';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A version of a resource in which webhooks and policies match, see and change its objects. */
export interface AdmissionVersion {
  readonly resource: GroupVersionResource;
  /** The kind of the subresource, if the request is for one. */
  readonly kind: GroupVersionKind;
  readonly schema: ObjectSchema;
  /** The object in this version. Shares parts with its source: do not change it. */
  fromStored(object: KubeObject): MaybePromise<KubeObject>;
  /**
   * Converts an object that was changed in this version to the stored version: decoded, with defaults. Consumes its
   * argument.
   */
  toStored(object: KubeObject): MaybePromise<KubeObject>;
}

/** An object of which a subresource shows and changes a part, such as a Scale. */
export interface ObjectView {
  of(object: KubeObject): MaybePromise<KubeObject>;
  /** The object after a change to this view of it. */
  restore(view: KubeObject, object: KubeObject): MaybePromise<KubeObject>;
}

/** One write before it is stored. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  /** The stored kind and version. */
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  /** Equivalent versions and groups under which clients might have requested the same object. */
  readonly requested: AdmissionVersion;
  /** The other versions and groups under which clients might have requested the same. */
  readonly equivalents: readonly AdmissionVersion[];
  /** Set if the client sees only a part of the object. */
  readonly view?: ObjectView | undefined;
  readonly subresource: string;
  readonly isNamespaced: boolean;
  readonly namespace: string;
  /** Empty on create with `generateName`. */
  readonly name: string;
  /** In the stored version. Never changed in place: a mutating plugin returns another. Absent on delete. */
  readonly object: KubeObject | undefined;
  /** As stored. Shared: never changed. Absent on create. */
  readonly oldObject: KubeObject | undefined;
  /** CreateOptions, UpdateOptions or DeleteOptions, as sent. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  readonly warn: (message: string) => void;
  readonly annotate?: Annotate | undefined;
  readonly lifetime?: RequestLifetime | undefined;
}

/** The attributes that all writes of one operation on a resource or a subresource share. */
export type WriteKind = Pick<AdmissionAttributes, 'operation' | 'resource' | 'kind' | 'subresource' | 'isNamespaced'>;

/** Attributes of a write, with and without its object. */
export type AttributesOf<T extends KubeObject | undefined> = AdmissionAttributes & { readonly object: T };

/**
 * How often the mutating plugins have seen a write. They see it a second time if one of them requests reinvocation,
 * because a later plugin may have added something that an earlier one would change.
 */
export interface MutationRounds {
  readonly isRepeated: boolean;
  repeat(): void;
  /** State that a plugin keeps for the second round. */
  readonly state: Map<string, unknown>;
}

/**
 * Sees every write that it `handles`. All plugins mutate first, in order; then all validate. Rejections are thrown as
 * `StatusError`.
 */
export interface AdmissionPlugin {
  readonly name: string;
  /** Called once for each kind of write. */
  readonly handles: (kind: WriteKind) => boolean;
  /** Whether the plugin applies to this write of a kind that it handles. Without this function it applies to all. */
  readonly concerns?: (attributes: AdmissionAttributes) => boolean;
  /**
   * The changed object: another value, which may share unchanged parts with the argument, or `undefined` if nothing
   * changes.
   */
  mutate?(attributes: AdmissionAttributes, rounds: MutationRounds): MaybePromise<KubeObject | undefined>;
  validate?(attributes: AdmissionAttributes): MaybePromise<void>;
}
