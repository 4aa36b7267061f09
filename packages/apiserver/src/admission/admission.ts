import type { GroupVersionKind, GroupVersionResource, KubeObject } from '@coracle/apimachinery';
import type { UserInfo } from '../user-info.js';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** One write on its way to the store. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty on create with `generateName`. */
  readonly name: string;
  /** Belongs to the request: a mutating plugin changes it in place. Absent on delete. */
  readonly object: KubeObject | undefined;
  /** As stored. Shared: never changed. Absent on create. */
  readonly oldObject: KubeObject | undefined;
  /** CreateOptions, UpdateOptions or DeleteOptions, as sent. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  readonly warn: (message: string) => void;
  readonly annotate?: (key: string, value: string) => void;
}

/** Looks at every write that it `handles`. All plugins mutate first, in order; then all validate. Refusals are thrown as `StatusError`. */
export interface AdmissionPlugin {
  readonly name: string;
  handles(attributes: AdmissionAttributes): boolean;
  mutate?(attributes: AdmissionAttributes): void | Promise<void>;
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}
