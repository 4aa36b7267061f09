import type { IntOrString, KubeObject } from '@coracle/apimachinery';
import { type AnyNode, type Infer, type InferInput, type Presence, SchemaNode } from './schema-node.js';

/** A text. `s.string` makes one. */
export class StringNode<T extends string = string> extends SchemaNode<T> {
  enum<const Values extends readonly string[]>(...values: Values): StringNode<Values[number]> {
    return new StringNode<Values[number]>({ ...this.json, enum: [...values] }, 'required');
  }

  min(minLength: number): this {
    return this.with({ minLength });
  }

  max(maxLength: number): this {
    return this.with({ maxLength });
  }

  /** A regular expression as the server understands it (RE2). */
  pattern(pattern: string | RegExp): this {
    return this.with({ pattern: typeof pattern === 'string' ? pattern : pattern.source });
  }

  format(format: string): this {
    return this.with({ format });
  }
}

/** A number. `s.integer`, `s.int32`, `s.number` and the like make one. */
export class NumberNode extends SchemaNode<number> {
  min(minimum: number, { exclusive = false }: { readonly exclusive?: boolean } = {}): this {
    return this.with({ minimum, ...(exclusive && { exclusiveMinimum: true }) });
  }

  max(maximum: number, { exclusive = false }: { readonly exclusive?: boolean } = {}): this {
    return this.with({ maximum, ...(exclusive && { exclusiveMaximum: true }) });
  }

  multipleOf(multipleOf: number): this {
    return this.with({ multipleOf });
  }
}

/** A list. `s.array` makes one. */
export class ArrayNode<Output, Input> extends SchemaNode<Output[], readonly Input[]> {
  min(minItems: number): this {
    return this.with({ minItems });
  }

  max(maxItems: number): this {
    return this.with({ maxItems });
  }

  /** Every item once; server-side apply merges by value. */
  set(): this {
    return this.with({ 'x-kubernetes-list-type': 'set' });
  }

  /** A list with `x-kubernetes-list-type: map` and these keys; server-side apply merges by them. */
  mapBy(...keys: readonly [keyof Output & string, ...(keyof Output & string)[]]): this {
    return this.with({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...keys] });
  }

  /** Replaced as a whole by server-side apply; so is a list without a list type. */
  atomic(): this {
    return this.with({ 'x-kubernetes-list-type': 'atomic' });
  }
}

/** Values under names of the user's choice. `s.map` makes one. */
export class MapNode<Output, Input> extends SchemaNode<Record<string, Output>, Readonly<Record<string, Input>>> {
  min(minProperties: number): this {
    return this.with({ minProperties });
  }

  max(maxProperties: number): this {
    return this.with({ maxProperties });
  }
}

/** The fields of an object, each with its schema. */
export type Fields = Readonly<Record<string, AnyNode>>;

type KeysOf<F extends Fields, P extends Presence> = {
  [Name in keyof F]: F[Name] extends SchemaNode<infer _O, infer _I, infer Q> ? (Q extends P ? Name : never) : never;
}[keyof F];

type Flat<T> = { [Name in keyof T]: T[Name] } & {};

export type ObjectOutput<F extends Fields> = Flat<
  { [Name in KeysOf<F, 'required' | 'defaulted'>]: Infer<F[Name]> } & {
    [Name in KeysOf<F, 'optional'>]?: Infer<F[Name]>;
  }
>;
export type ObjectInput<F extends Fields> = Flat<
  { [Name in KeysOf<F, 'required'>]: InferInput<F[Name]> } & {
    [Name in KeysOf<F, 'optional' | 'defaulted'>]?: InferInput<F[Name]>;
  }
>;

/** Named fields. `s.object` makes one. */
export class ObjectNode<F extends Fields> extends SchemaNode<ObjectOutput<F>, ObjectInput<F>> {
  readonly fields: F;

  constructor(fields: F) {
    const entries = Object.entries(fields);
    const required = entries.filter(([, { presence }]) => presence === 'required').map(([name]) => name);
    const properties = Object.fromEntries(entries.map(([name, { json }]) => [name, json]));
    super(
      { type: 'object', ...(entries.length > 0 && { properties }), ...(required.length > 0 && { required }) },
      'required',
    );
    this.fields = fields;
  }

  /** Server-side apply replaces it as a whole. */
  atomic(): this {
    return this.with({ 'x-kubernetes-map-type': 'atomic' });
  }

  /** Unknown fields are preserved instead of dropped. */
  open(): this {
    return this.with({ 'x-kubernetes-preserve-unknown-fields': true });
  }
}

/** One of the fields, and only one: `{ http: … }` or `{ exec: … }`. */
export type OneOf<F extends Fields> = {
  [Name in keyof F]: { [Own in Name]: Infer<F[Name]> } & { [Other in Exclude<keyof F, Name>]?: never };
}[keyof F];

/** Builders of schemas for custom resources. */
export const s = {
  string: () => new StringNode({ type: 'string' }, 'required'),
  /** A whole number of 64 bits. */
  integer: () => new NumberNode({ type: 'integer', format: 'int64' }, 'required'),
  int32: () => new NumberNode({ type: 'integer', format: 'int32' }, 'required'),
  number: () => new NumberNode({ type: 'number' }, 'required'),
  boolean: () => new SchemaNode<boolean>({ type: 'boolean' }, 'required'),
  object: <const F extends Fields>(fields: F) => new ObjectNode(fields),
  array: <Node extends AnyNode>(items: Node) =>
    new ArrayNode<Infer<Node>, InferInput<Node>>({ type: 'array', items: items.json }, 'required'),
  /** Any names, one kind of value: labels, for instance. */
  map: <Node extends AnyNode>(values: Node) =>
    new MapNode<Infer<Node>, InferInput<Node>>({ type: 'object', additionalProperties: values.json }, 'required'),
  /** `80` or `"50%"`. */
  intOrString: () =>
    new SchemaNode<IntOrString>(
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      'required',
    ),
  /** `500m`, `1Gi`, `2`. */
  quantity: () =>
    new SchemaNode<IntOrString>(
      {
        'x-kubernetes-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        pattern:
          '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      },
      'required',
    ),
  /** RFC 3339: `2026-01-01T00:00:00Z`. */
  time: () => new StringNode({ type: 'string', format: 'date-time' }, 'required'),
  /** `1h30m`. */
  duration: () => new StringNode({ type: 'string', format: 'duration' }, 'required'),
  /** Exactly one of the fields. */
  oneOf: <const F extends Fields>(fields: F) => {
    const properties = Object.fromEntries(Object.entries(fields).map(([name, { json }]) => [name, json]));
    const oneOf = Object.keys(fields).map((name) => ({ required: [name] }));
    return new SchemaNode<OneOf<F>>({ type: 'object', properties, oneOf }, 'required');
  },
  /** A whole object of another kind, with its `apiVersion`, `kind` and `metadata`. */
  embedded: <T extends KubeObject = KubeObject>() =>
    new SchemaNode<T>(
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      'required',
    ),
  /** Any JSON at all. */
  any: <T = unknown>() => new SchemaNode<T>({ 'x-kubernetes-preserve-unknown-fields': true }, 'required'),
  /** `metav1.Condition`s, merged by their type. */
  conditions: () => conditionsNode(),
} as const;

/** `metav1.Condition`, as in a status. */
export interface StatusCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

function conditionsNode() {
  const condition = s.object({
    type: s.string().max(316),
    status: s.string().enum('True', 'False', 'Unknown'),
    reason: s.string().min(1).max(1024).pattern('^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$'),
    message: s.string().max(32768),
    lastTransitionTime: s.time(),
    observedGeneration: s.integer().min(0).optional(),
  });
  const { json } = s.array(condition).mapBy('type');
  return new SchemaNode<StatusCondition[]>(json, 'required');
}
