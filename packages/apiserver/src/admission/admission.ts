import type { GroupVersionKind, GroupVersionResource, KubeObject, ObjectSchema } from '@coracle/apimachinery';
import type { MaybePromise } from '@coracle/base';
import type { Annotate } from '../audit/audit-event.js';
import type { RequestLifetime } from '../request-lifetime.js';
import type { UserInfo } from '../user-info.js';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A version of a resource as webhooks and policies match it, and how they see and change its objects in it. */
export interface AdmissionVersion {
  readonly resource: GroupVersionResource;
  /** Of the subresource, if the request is for one. */
  readonly kind: GroupVersionKind;
  readonly schema: ObjectSchema;
  /** The object in this version. Shares parts with what it is made from: not to be changed. */
  fromStored(object: KubeObject): MaybePromise<KubeObject>;
  /** An object that was changed in this version as it is stored: decoded, with defaults. It is used up. */
  toStored(object: KubeObject): MaybePromise<KubeObject>;
}

/** An object of which a subresource shows and changes a part, such as a Scale. */
export interface ObjectView {
  of(object: KubeObject): MaybePromise<KubeObject>;
  /** The object with what was changed in the view of it. */
  restore(view: KubeObject, object: KubeObject): MaybePromise<KubeObject>;
}

/** One write before it is stored. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  /** As it is stored. */
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  /** As the client requested it. */
  readonly requested: AdmissionVersion;
  /** The other versions and groups under which clients might have requested the same. */
  readonly equivalents: readonly AdmissionVersion[];
  /** If the client sees a part of the object only. */
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

/** What is the same for all writes of one operation to a resource or a subresource. */
export type WriteKind = Pick<AdmissionAttributes, 'operation' | 'resource' | 'kind' | 'subresource' | 'isNamespaced'>;

/** Those of a write whose object is there, or is not. */
export type AttributesOf<T extends KubeObject | undefined> = AdmissionAttributes & { readonly object: T };

/**
 * How often the mutating plugins have seen a write. They see it a second time if one of them requests that: what comes
 * late in the order may have changed what comes early would change too.
 */
export interface MutationRounds {
  readonly isRepeated: boolean;
  repeat(): void;
  /** What a plugin keeps for the second round. */
  readonly state: Map<string, unknown>;
}

/**
 * Looks at every write that it `handles`. All plugins mutate first, in order; then all validate. Refusals are thrown as
 * `StatusError`.
 */
export interface AdmissionPlugin {
  readonly name: string;
  /** Asked once for each kind of write. */
  readonly handles: (kind: WriteKind) => boolean;
  /** Whether it looks at this write of a kind that it handles; at each unless stated. */
  readonly concerns?: (attributes: AdmissionAttributes) => boolean;
  /**
   * The changed object: another value, which may share unchanged parts with the given one, or
   * `undefined` if nothing changes.
   */
  mutate?(attributes: AdmissionAttributes, rounds: MutationRounds): MaybePromise<KubeObject | undefined>;
  validate?(attributes: AdmissionAttributes): MaybePromise<void>;
}
