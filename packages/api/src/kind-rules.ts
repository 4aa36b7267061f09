import type { FieldError, ObjectMeta } from '@coracle/apimachinery';

/**
 * The rules of a kind beyond its schema. One file per kind and role: `pod.defaults.ts`, `pod.validation.ts`.
 *
 * All functions are pure but for `setDefaults`, which changes the object it is given and nothing else. Validation
 * collects every field error and looks at the kind's own fields; the metadata that all objects share is validated by
 * the registry (see `validateObjectMeta` in apimachinery).
 */
export interface KindRules<T> {
  /** Fills in what upstream fills in when an object is decoded. Idempotent. */
  setDefaults?(object: T): void;
  /** The same for an object that was merged by server-side apply and not decoded; `setDefaults` unless stated. */
  setDefaultsOfApplied?(object: T): void;
  /**
   * The part of `setDefaults` outside of the spec. A kind that has it can skip a spec that has its defaults already.
   */
  setDefaultsBesideSpec?(object: T): void;
  /** How names of this kind are checked; a DNS subdomain by default. Returns error messages. */
  validateName?(name: string, prefix: boolean): string[];
  /** Finalizers need no domain, as for kinds whose metadata has only the rules that all objects share. */
  readonly anyFinalizer?: boolean;
  /**
   * What holds for an object at any time, where that is worth remembering: `validate` and `validateUpdate` begin with
   * it.
   */
  readonly content?: ContentRules<T>;
  /** `content`: the field errors of its rules, if they are known. */
  validate?(object: T, content?: readonly FieldError[]): FieldError[];
  /** Called after the metadata's update rules; runs what `validate` runs where upstream does so too. */
  validateUpdate?(object: T, previous: T, content?: readonly FieldError[]): FieldError[];
  validateStatusUpdate?(object: T, previous: T): FieldError[];
  /** Warnings for the client, sent as Warning headers. */
  warnings?(object: T, previous?: T): string[];
  /**
   * Errors that the last validation of an update ignored because the previous object had them too. Also sent with a
   * rejection.
   */
  ratchetingWarnings?(object: T): readonly string[];
}

/**
 * Rules that depend only on the spec and the metadata of an object. `warnings` of the kind do the same for a new
 * object.
 */
export interface ContentRules<T> {
  validate(object: T): FieldError[];
  /** Whether `validate` and `warnings` would say the same if these were the object's metadata. */
  readsSame(object: T, metadata: ObjectMeta): boolean;
}

/** Kind → its rules. Each has its own type, which the caller that looks it up knows. */
export type KindRulesTable = Readonly<Record<string, KindRules<never>>>;
