import type { FieldSchema, ObjectSchema, Schema } from '../schema.js';
import type { NumberedCodec } from './field-values.js';
import type { ValueCodec } from './value-codec.js';

/** The fields of a message in the order of their numbers, and by number. */
export interface MessagePlan {
  readonly fields: readonly FieldPlan[];
  readonly byNumber: readonly (FieldPlan | undefined)[];
  /** The fields that JSON has even where the message lacks them; those of embedded messages are among them. */
  readonly filled: readonly ValuePlan[];
}

export type FieldPlan = ValuePlan | EmbeddedPlan;

export interface ValuePlan extends NumberedCodec {
  readonly name: string;
  readonly shape: 'one' | 'list' | 'map';
  readonly presence: FieldSchema['presence'];
}

/** A message whose fields are inlined into the JSON object around it. */
export interface EmbeddedPlan {
  readonly number: number;
  readonly shape: 'embedded';
  readonly message: MessagePlan;
}

/** `codecOf` returns the codecs of the values; it may be called for the message that is being planned. */
export function planMessage(schema: ObjectSchema, codecOf: (schema: Schema) => ValueCodec): MessagePlan {
  const leaves: Leaf[] = [];
  for (const field of schema.fields.values()) if (field.proto) leaves.push({ field, path: field.proto });
  return planLeaves(leaves, codecOf);
}

/** A field, with the numbers that lead to it. */
interface Leaf {
  readonly field: FieldSchema;
  readonly path: readonly number[];
}

function planLeaves(leaves: readonly Leaf[], codecOf: (schema: Schema) => ValueCodec): MessagePlan {
  const groups = new Map<number, Leaf[]>();
  for (const leaf of leaves) {
    const [number = 0, ...rest] = leaf.path;
    groups.set(number, [...(groups.get(number) ?? []), { field: leaf.field, path: rest }]);
  }
  const fields = [...groups].sort(([a], [b]) => a - b).map(([number, group]) => planField(number, group, codecOf));
  const byNumber: (FieldPlan | undefined)[] = [];
  for (const field of fields) byNumber[field.number] = field;
  const filled = fields.flatMap((field) =>
    field.shape === 'embedded' ? field.message.filled : isFilled(field) ? [field] : [],
  );
  return { fields, byNumber: Array.from(byNumber), filled };
}

function planField(number: number, group: readonly Leaf[], codecOf: (schema: Schema) => ValueCodec): FieldPlan {
  const [first] = group;
  if (first === undefined || first.path.length > 0)
    return { number, shape: 'embedded', message: planLeaves(group, codecOf) };
  const { name, schema, presence } = first.field;
  const shape = schema.type === 'list' || schema.type === 'map' ? schema.type : 'one';
  const value = schema.type === 'list' ? schema.items : schema.type === 'map' ? schema.values : schema;
  return { number, name, shape, codec: codecOf(value), presence };
}

function isFilled({ presence }: ValuePlan): boolean {
  return presence === 'always' || presence === 'null';
}
