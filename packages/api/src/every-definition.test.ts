import { existsSync, readdirSync, readFileSync } from 'node:fs';
import {
  decodeObject,
  decodeProto,
  encodeProto,
  type FieldSchema,
  type ObjectSchema,
  type Schema,
} from '@coracle/apimachinery';
import { describe, expect, it } from 'vitest';
import { allDefinitions, fullDefinitionName, schemaOf } from './schemas.js';

/** The counts of Kubernetes v1.36. */
const definitionCount = 771;
const fieldCount = 3137;

/** `/version` is served as JSON alone, so its type is the only one without a protobuf message. */
const withoutMessage = 'meta-v1/Info';

const definitions = allDefinitions();
const fieldsIn = (schema: Schema): FieldSchema[] => (schema.type === 'object' ? [...schema.fields.values()] : []);
const fields = definitions.flatMap((definition) =>
  fieldsIn(schemaOf(definition)).map((field) => ({ definition, field })),
);
/** A kind says what it is around its message, not in it. */
const isInMessage = (definition: string, { name, proto }: FieldSchema) =>
  definition !== withoutMessage && (proto !== undefined || !/^(?:apiVersion|kind)$/.test(name));

describe('every definition', () => {
  it(`has a schema: ${definitionCount} of them, with ${fieldCount} fields`, () => {
    expect([new Set(definitions).size, fields.length]).toEqual([definitionCount, fieldCount]);
  });

  it(`has an interface or a type: ${definitionCount} of them, with the same fields`, () => {
    const interfaces = readInterfaces();
    const expected = definitions.map((definition) => [
      definition,
      fieldsIn(schemaOf(definition)).map(({ name }) => name),
    ]);
    expect(Object.fromEntries(interfaces)).toEqual(Object.fromEntries(expected));
  });

  it(`keeps each of its fields in JSON: ${fieldCount}`, () => {
    for (const { definition, field } of fields) {
      const schema = schemaOf(definition) as ObjectSchema;
      const object = { ...decodeObject({}, schema).object, [field.name]: example(field.schema) };
      const { object: decoded, unknownFields } = decodeObject(JSON.parse(JSON.stringify(object)), schema);
      expect([decoded, unknownFields], `${definition}.${field.name}`).toEqual([object, []]);
    }
  });

  const inMessages = fields.filter(({ definition, field }) => isInMessage(definition, field));

  it(`keeps each of its fields in protobuf: ${inMessages.length}, the others being the apiVersion and kind of kinds, which the envelope has, and the fields of version.Info, which has no message`, () => {
    for (const { definition, field } of inMessages) {
      const schema = schemaOf(definition) as ObjectSchema;
      const empty = decodeProto(encodeProto({}, schema), schema) as object;
      const object = { ...empty, [field.name]: example(field.schema) };
      expect(decodeProto(encodeProto(object, schema), schema), `${definition}.${field.name}`).toEqual(object);
    }
  });
});

const factsFolder = process.env['CORACLE_FACTS'] ?? new URL('../../../../shared/facts', import.meta.url).pathname;
const factsFile = `${factsFolder}/types.json`;

describe.skipIf(!existsSync(factsFile))('the facts of upstream', () => {
  it('name the same definitions and fields', () => {
    interface Fact {
      readonly fields?: Record<string, unknown>;
    }
    const facts = (JSON.parse(readFileSync(factsFile, 'utf8')) as { definitions: Record<string, Fact> }).definitions;
    const fieldsByDefinition = Object.fromEntries(
      definitions.map((one) => [
        fullDefinitionName(one),
        fieldsIn(schemaOf(one))
          .map(({ name }) => name)
          .sort(),
      ]),
    );
    expect(fieldsByDefinition).toEqual(
      Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, Object.keys(fact.fields ?? {}).sort()])),
    );
  });
});

/** Definition → the names of its fields, read from the generated interfaces; none for a type that is no interface. */
function readInterfaces(): Map<string, string[]> {
  const folder = new URL('./generated/types/', import.meta.url).pathname;
  const files = readdirSync(folder).map(
    (file) => [file.replace(/\.ts$/, ''), readFileSync(folder + file, 'utf8')] as const,
  );
  const found = new Map<string, string[]>();
  for (const [module, text] of files) {
    const aliases = importAliases(text);
    for (const [, name, base = '', replaced = '', body = ''] of text.matchAll(declaration)) {
      const fields = [...body.matchAll(/^ {2}['"]?([\w$-]+)['"]?\??:/gm)].map(([, field]) => `${field}`);
      const inherited = (found.get(aliases.get(base) ?? `${module}/${base}`) ?? []).filter(
        (field) => !replaced.includes(`'${field}'`),
      );
      found.set(`${module}/${name}`, inherited.length === 0 ? fields : [...inherited, ...fields].sort());
    }
  }
  // Types that are equal in another version of the group.
  for (const [module, text] of files)
    for (const [, names = '', other] of text.matchAll(/^export type \{ (.*) \} from '\.\/(.*)\.js';$/gm))
      for (const name of names.split(', ')) found.set(`${module}/${name}`, found.get(`${other}/${name}`) ?? []);
  return found;
}

/** Name, base, fields of the base that are replaced, and body. */
const declaration =
  /^export (?:interface|type) (\w+)(?: extends (?:Omit<)?(\w+)(?:, ([^>]*)>)?)?(?: \{\n([\s\S]*?)^\}|[^{]*?;$)/gm;

/** Alias → definition, of the types that a file imports under another name. */
function importAliases(text: string): Map<string, string> {
  const aliases = new Map<string, string>();
  for (const [, names = '', other] of text.matchAll(/^import type \{ (.*) \} from '\.\/(.*)\.js';$/gm))
    for (const [, name, alias = ''] of names.matchAll(/(\w+) as (\w+)/g)) aliases.set(alias, `${other}/${name}`);
  return aliases;
}

/** A value of a type that is not its empty one, as the server would write it. */
function example(schema: Schema): unknown {
  switch (schema.type) {
    case 'object':
      return decodeObject({}, schema).object;
    case 'list':
      return [example(schema.items)];
    case 'map':
      return { key: example(schema.values) };
    case 'any':
      return schema.union ? example(Object.values(schema.union)[0]?.schema ?? schema) : { free: 'form' };
    default:
      return examples[schema.type];
  }
}

const examples = {
  string: 'text',
  boolean: true,
  int32: 7,
  int64: 2 ** 53 - 1,
  double: 0.5,
  bytes: 'AQID',
  time: '2026-01-01T00:00:00Z',
  microTime: '2026-01-01T00:00:00.000001Z',
  duration: '1h30m0s',
  quantity: '100m',
  intOrString: '25%',
} as const;
