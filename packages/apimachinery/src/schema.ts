/**
 * The shape of API objects, as data. Built-in types and custom resources are
 * described alike, and all machinery walks this: decoding, pruning, merging,
 * field ownership, protobuf, OpenAPI.
 */
export type Schema = ScalarSchema | AnySchema | ListSchema | MapSchema | ObjectSchema;

export type ScalarType =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'double'
  /** Base64 text in JSON. */
  | 'bytes'
  /** RFC 3339 text with whole seconds. */
  | 'time'
  /** RFC 3339 text with microseconds. */
  | 'microTime'
  /** Text such as `1h30m`. */
  | 'duration'
  | 'quantity'
  | 'intOrString';

export interface ScalarSchema {
  readonly type: ScalarType;
}

/** Anything at all: embedded objects, free-form JSON, fields of a custom resource that keeps unknown ones. */
export interface AnySchema {
  readonly type: 'any';
  /** The type for server-side apply; decoding leaves every value to validation (custom resources only). */
  readonly applied?: 'string' | 'boolean' | 'int64' | 'double';
  /** The full definition name of a built-in type, such as `io.k8s.apimachinery.pkg.runtime.RawExtension`. */
  readonly name?: string;
  /**
   * For a value of one of a few types, what each of them is: a schema or a flag, a schema or a list of them. The
   * numbers are those of the protobuf message, which has a field a type.
   */
  readonly union?: { readonly [type in 'object' | 'list' | 'boolean']?: FieldSchema };
}

export interface ListSchema {
  readonly type: 'list';
  readonly items: Schema;
  /** How server-side apply merges it. Atomic if absent. */
  readonly listType?: 'atomic' | 'set' | 'map';
  /** The keys of a `map` list. */
  readonly keys?: readonly string[];
  /** How a strategic merge patch merges it: by this key, or as a set of primitives when `mergeKey` is absent. */
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly mergeKey?: string;
  /** Values of another type and nulls are left for validation to refuse (custom resources only). */
  readonly lenient?: true;
}

export interface MapSchema {
  readonly type: 'map';
  readonly values: Schema;
  readonly mapType?: 'atomic' | 'granular';
  /** As for lists. */
  readonly lenient?: true;
}

export interface ObjectSchema {
  readonly type: 'object';
  /** The full definition name of a built-in type, such as `io.k8s.api.core.v1.Pod`; empty for custom ones. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldSchema>;
  readonly mapType?: 'atomic' | 'granular';
  /** True if unknown fields are preserved (custom resources only). */
  readonly preserveUnknown?: boolean;
  /** As for lists. */
  readonly lenient?: true;
}

/**
 * The treatment of a field's empty value in the canonical form of an object. `sent`: values are kept as sent. `given`:
 * the same, but `null` is dropped. `nonzero`: `""`, `0`, `false`, `[]` and `{}` are dropped too. `always`: an absent
 * field gets its empty value: `""`, `0`, `false` or `{}`, and `null` for lists, maps, bytes, times and free-form
 * values; values are kept as sent. `null`: an absent field is written as `null`, whatever its type.
 */
export type Presence = 'sent' | 'given' | 'nonzero' | 'always' | 'null';

export interface FieldSchema {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly presence: Presence;
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[] | undefined;
  /** Overrides the type's own, as a field may be atomic where its type is not. */
  readonly mapType?: 'atomic' | 'granular' | undefined;
  /** For a key of a `map` list: the default of an absent key. Custom resources only. */
  readonly default?: unknown;
  /** Its protobuf number; two numbers for a field of an embedded message: `[1, 6]`. */
  readonly proto?: readonly number[] | undefined;
}
