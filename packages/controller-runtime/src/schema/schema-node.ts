import type { apiextensionsv1 } from '@coracle/api';

/** A schema as the manifest of a custom resource spells it. */
export type JsonSchema = apiextensionsv1.JSONSchemaProps;
export type ValidationRule = apiextensionsv1.ValidationRule;

/** Whether a field may be absent: never, always, or only in writes, because the server sets its default. */
export type Presence = 'required' | 'optional' | 'defaulted';

/** The message when a CEL rule fails. */
export interface RuleOptions {
  readonly message?: string;
  /** A CEL expression that returns the message. */
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** Where below this value the problem is: `.replicas`. */
  readonly fieldPath?: string;
  /** Also evaluated without an old value; `oldSelf` is then an optional. */
  readonly optionalOldSelf?: boolean;
}

/**
 * A value of a custom resource: its types (`Output`, read; `Input`, written) and its schema (`json`). Immutable: every
 * method returns a new one.
 */
export class SchemaNode<Output, Input = Output, P extends Presence = 'required'> {
  readonly json: JsonSchema;
  readonly presence: P;
  /** Never set: they carry the types. */
  declare readonly __output?: Output;
  declare readonly __input?: Input;

  constructor(json: JsonSchema, presence: P) {
    this.json = json;
    this.presence = presence;
  }

  /** May be left out. */
  optional(): SchemaNode<Output, Input, 'optional'> {
    return new SchemaNode(this.json, 'optional');
  }

  /** The server sets the default: it is always present in reads. */
  default(value: Input): SchemaNode<Output, Input, 'defaulted'> {
    return new SchemaNode({ ...this.json, default: value as NonNullable<JsonSchema['default']> }, 'defaulted');
  }

  nullable(): SchemaNode<Output | null, Input | null, P> {
    return new SchemaNode({ ...this.json, nullable: true }, this.presence);
  }

  /** For `kubectl explain`. */
  describe(description: string): this {
    return this.with({ description });
  }

  /** A CEL expression that must hold; `self` is the value, `oldSelf` the one before an update. */
  validate(rule: string, options: RuleOptions = {}): this {
    const rules = this.json['x-kubernetes-validations'] ?? [];
    return this.with({ 'x-kubernetes-validations': [...rules, { rule, ...options }] });
  }

  /** Stays as it was made. */
  immutable(): this {
    return this.validate('self == oldSelf', { message: 'Value is immutable' });
  }

  /** With whatever the builders have no word for. */
  with(more: JsonSchema): this {
    const made = Object.create(Object.getPrototypeOf(this)) as this;
    return Object.assign(made, this, { json: { ...this.json, ...more } });
  }
}

/** A schema, whatever its type. */
// biome-ignore lint/suspicious/noExplicitAny: a table of mixed nodes has no narrower common type.
export type AnyNode = SchemaNode<any, any, Presence>;

/** What is read: defaults are filled in. */
export type Infer<Node> = Node extends SchemaNode<infer Output, infer _Input, infer _P> ? Output : never;

/** What is written: what has a default may be left out. */
export type InferInput<Node> = Node extends SchemaNode<infer _Output, infer Input, infer _P> ? Input : never;
