import type { FieldSchema, ObjectSchema, Schema } from '../schema.js';
import type { ValueCodec } from './value-codec.js';

/** The fields of a message in the order of their numbers, and by number. */
export interface MessagePlan {
  readonly fields: readonly FieldPlan[];
  readonly byNumber: readonly (FieldPlan | undefined)[];
  /** The fields that JSON has even where the message lacks them; those of embedded messages are among them. */
  readonly filled: readonly FieldPlan[];
}

export interface FieldPlan {
  readonly number: number;
  readonly name: string;
  /** `embedded`: a message whose fields stand in the same JSON object as the fields around it. */
  readonly shape: 'one' | 'list' | 'map' | 'embedded';
  /** Of the field, or of the items or values in it. */
  readonly codec: ValueCodec | undefined;
  readonly embedded: MessagePlan | undefined;
  readonly presence: FieldSchema['presence'];
}

/** `codecOf` is asked for the codecs of the values; it may be asked for the message that is being planned. */
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
  const filled = fields.flatMap((field) => field.embedded?.filled ?? (isFilled(field) ? [field] : []));
  return { fields, byNumber: Array.from(byNumber), filled };
}

function planField(number: number, group: readonly Leaf[], codecOf: (schema: Schema) => ValueCodec): FieldPlan {
  const [first] = group;
  if (first === undefined || first.path.length > 0) {
    const embedded = planLeaves(group, codecOf);
    return { number, name: '', shape: 'embedded', codec: undefined, embedded, presence: 'always' };
  }
  const { name, schema, presence } = first.field;
  const shape = schema.type === 'list' || schema.type === 'map' ? schema.type : 'one';
  const value = schema.type === 'list' ? schema.items : schema.type === 'map' ? schema.values : schema;
  return { number, name, shape, codec: codecOf(value), embedded: undefined, presence };
}

function isFilled({ presence }: FieldPlan): boolean {
  return presence === 'always' || presence === 'null';
}
