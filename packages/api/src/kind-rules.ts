import type { FieldError, ObjectMeta } from '@coracle/apimachinery';

/**
 * What a kind requires beyond its schema. One file a kind and role: `pod.defaults.ts`, `pod.validation.ts`.
 *
 * All functions are pure but for `setDefaults`, which changes the object it is given and nothing else.
 * Validation collects every field error and looks at the kind's own fields; the metadata that all objects
 * share is validated by the registry (see `validateObjectMeta` in apimachinery).
 */
export interface KindRules<T> {
  /** Fills in what upstream fills in when an object is decoded. Idempotent. */
  setDefaults?(object: T): void;
  /** The same for an object that was merged by server-side apply and not decoded; `setDefaults` unless stated. */
  setDefaultsOfApplied?(object: T): void;
  /**
   * What of `setDefaults` is not about the spec. A kind that has it can skip a spec that has its defaults already.
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
  /** Advice for the client that is no reason to refuse: sent as Warning headers. */
  warnings?(object: T, previous?: T): string[];
  /** What the last validation of an update found, and let pass since it was so before. Sent with a refusal too. */
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
