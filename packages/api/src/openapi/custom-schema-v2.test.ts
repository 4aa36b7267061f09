import { describe, expect, it } from 'vitest';
import { customSchemaV2 } from './custom-schema-v2.js';

describe('customSchemaV2', () => {
  const cases: { name: string; input: object; expected: object }[] = [
    {
      name: 'leaves out defaults and alternatives, at any depth',
      input: { type: 'object', properties: { a: { type: 'string', default: 'x', oneOf: [{}] } } },
      expected: { type: 'object', properties: { a: { type: 'string' } } },
    },
    {
      name: 'says no type where null may stand',
      input: { type: 'array', nullable: true, description: 'd', items: { type: 'string' } },
      expected: { description: 'd' },
    },
    {
      name: 'says no type for a number or text',
      input: { 'x-kubernetes-int-or-string': true, type: 'string' },
      expected: { 'x-kubernetes-int-or-string': true },
    },
    {
      name: 'keeps a property that is called default',
      input: { type: 'object', properties: { default: { type: 'string' } } },
      expected: { type: 'object', properties: { default: { type: 'string' } } },
    },
    {
      name: 'goes into the values of maps and the items of lists',
      input: { additionalProperties: { type: 'array', items: { type: 'integer', default: 1 } } },
      expected: { additionalProperties: { type: 'array', items: { type: 'integer' } } },
    },
  ];
  for (const { name, input, expected } of cases) it(name, () => expect(customSchemaV2({ ...input })).toEqual(expected));
});
