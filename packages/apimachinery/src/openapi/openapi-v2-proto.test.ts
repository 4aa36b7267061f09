import { describe, expect, it } from 'vitest';
import { WireReader } from '../protobuf/wire-reader.js';
import { encodeOpenApiV2 } from './openapi-v2-proto.js';

describe('encodeOpenApiV2', () => {
  it('writes the fields in the order of their numbers', () => {
    const bytes = encodeOpenApiV2({ swagger: '2.0', info: { title: 'K', version: 'v1' } });
    expect(hex(bytes)).toBe(`0a03322e30${'12'}07${'0a014b'}${'12027631'}`);
  });

  it('writes a definition with its properties, references and extensions', () => {
    const bytes = encodeOpenApiV2({
      definitions: {
        A: {
          type: 'object',
          required: ['b'],
          properties: { b: { $ref: '#/definitions/B' }, c: { type: 'array', items: { type: 'string' } } },
          additionalProperties: false,
          'x-kubernetes-list-type': 'set',
        },
      },
    });
    const schema = inside(bytes, [9, 1, 2]);
    expect(textAt(schema, [22, 1])).toBe('object');
    expect(textAt(schema, [19])).toBe('b');
    expect(textAt(schema, [25, 1, 1])).toBe('b');
    expect(textAt(schema, [25, 1, 2, 1])).toBe('#/definitions/B');
    expect(textAt(schema, [31, 1])).toBe('x-kubernetes-list-type');
    expect(textAt(schema, [31, 2, 2])).toBe('"set"\n');
  });

  it('distinguishes parameters by position', () => {
    const parameters = [
      { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/A' } },
      { $ref: '#/parameters/name' },
    ];
    const operation = {
      operationId: 'f',
      parameters,
      responses: { 200: { description: 'OK', schema: { type: 'string' } } },
    };
    const bytes = encodeOpenApiV2({
      paths: { '/a': { get: operation } },
      parameters: { name: { name: 'name', in: 'path', required: true, type: 'string' } },
    });
    const get = inside(bytes, [8, 2, 2, 2]);
    expect(textAt(get, [8, 1, 1, 5, 1])).toBe('#/definitions/A');
    expect(textAt(get, [9, 1, 1])).toBe('200');
    expect(textAt(get, [9, 1, 2, 1, 2, 1, 22, 1])).toBe('string');
    expect(textAt(bytes, [10, 1, 2, 2, 4, 4])).toBe('name');
  });
});

/** The first field with each of these numbers, one within the other. */
function inside(bytes: Uint8Array, path: readonly number[]): Uint8Array {
  const [fieldNumber, ...rest] = path;
  if (fieldNumber === undefined) return bytes;
  const reader = new WireReader(bytes);
  while (reader.position < reader.limit) {
    if (reader.field() === fieldNumber) return inside(reader.slice(), rest);
    reader.skip();
  }
  throw new Error(`no field ${path.join('.')}`);
}

function textAt(bytes: Uint8Array, path: readonly number[]): string {
  return new TextDecoder().decode(inside(bytes, path));
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
