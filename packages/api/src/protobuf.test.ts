import { decodeKind, decodeProto, encodeKind, encodeProto, reasonOf, type Schema } from '@coracle/apimachinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemaOf, schemaOfKind } from './schemas.js';

const namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'default', uid: 'u', creationTimestamp: '2024-01-01T00:00:00Z' },
  spec: { finalizers: ['kubernetes'] },
  status: { phase: 'Active' },
};

describe('encodeProto', () => {
  it('writes a kind byte for byte as Go does', () => {
    const schema = schemaOfKind({ group: '', version: 'v1', kind: 'Namespace' });
    if (!schema) throw new Error('no schema');
    expect(hex(encodeKind(namespace, schema))).toBe(
      '6b3873000a0f0a02763112094e616d657370616365123a0a200a0764656661756c7412001a0022002a0175320038004208088081c8ac061000120c0a0a6b756265726e657465731a080a064163746976651a002200',
    );
  });

  const cases: { name: string; type: string; value: object; bytes: string }[] = [
    {
      name: 'writes a value that is empty in Go, and leaves out a pointer that is not set',
      type: 'core-v1/ServicePort',
      value: { name: 'web', port: 80, protocol: 'TCP', targetPort: 'http' },
      bytes: '0a037765621203544350185022' + '0a080110001a04687474702800',
    },
    {
      name: 'writes a negative number in ten bytes',
      type: 'core-v1/Toleration',
      value: { tolerationSeconds: -1 },
      bytes: '0a0012001a00220028ffffffffffffffffff01',
    },
    {
      name: 'writes the fields of an embedded message into it',
      type: 'core-v1/Volume',
      value: { name: 'v', emptyDir: {} },
      bytes: '0a0176' + '12' + '04' + '1202' + '0a00',
    },
    {
      name: 'writes the entries of a map in the order of their keys',
      type: 'core-v1/ConfigMap',
      value: { metadata: {}, data: { b: '2', a: '1' } },
      bytes: '0a100a0012001a0022002a0032003800420012060a016112013112060a0162120132',
    },
    {
      name: 'writes the list wrapper that JSON does not show',
      type: 'meta-v1/APIResource',
      value: { name: 'pods', namespaced: true, kind: 'Pod', singularName: 'pod', verbs: ['get'] },
      bytes: '0a04706f647310011a03506f6422050a036765743203706f6442004a005200',
    },
  ];
  for (const { name, type, value, bytes } of cases) {
    it(name, () => {
      expect(hex(encodeProto(value, schemaOf(type)))).toBe(bytes);
      expect(decodeProto(fromHex(bytes), schemaOf(type))).toEqual(value);
    });
  }
});

describe('decodeProto', () => {
  it('returns the kind in its envelope', () => {
    const schema = schemaOfKind({ group: '', version: 'v1', kind: 'Namespace' });
    if (!schema) throw new Error('no schema');
    expect(decodeKind(encodeKind(namespace, schema), schemaOfKind)).toEqual(namespace);
  });

  it('sets the fields that JSON always has if the sender left them out', () => {
    expect(decodeProto(new Uint8Array(), schemaOf('core-v1/Service'))).toEqual({
      metadata: {},
      spec: {},
      status: { loadBalancer: {} },
    });
  });

  it('reads packed numbers as well as single ones', () => {
    const schema = schemaOf('core-v1/PodSecurityContext');
    expect(decodeProto(fromHex('2204010203' + '04'), schema)).toEqual({ supplementalGroups: [1, 2, 3, 4] });
    expect(decodeProto(fromHex('20012002'), schema)).toEqual({ supplementalGroups: [1, 2] });
  });

  it('skips unknown fields', () => {
    expect(decodeProto(fromHex('fa070161' + '0a0178'), schemaOf('core-v1/LocalObjectReference'))).toEqual({
      name: 'x',
    });
  });

  it('keeps a map key that is called __proto__', () => {
    const object = JSON.parse('{"metadata":{},"data":{"__proto__":"x"}}');
    const schema = schemaOf('core-v1/ConfigMap');
    expect(JSON.stringify(decodeProto(encodeProto(object, schema), schema))).toBe(JSON.stringify(object));
  });

  it('writes a schema that may also be a flag or a list in its given form', () => {
    const schema = schemaOf('apiextensions-v1/JSONSchemaProps');
    const input = {
      additionalProperties: false,
      items: { type: 'string' },
      dependencies: { a: ['b'], c: { type: 'object' } },
    };
    expect(decodeProto(encodeProto(input, schema), schema)).toEqual(input);
  });

  const hostile: [string, string, string][] = [
    ['a length beyond the end', 'core-v1/Pod', '0aff01'],
    ['a number without an end', 'core-v1/Pod', 'ffffffffffffffffffffff'],
    ['a wrong wire type', 'core-v1/Pod', '0801'],
    ['an illegal wire type', 'core-v1/Pod', '0f'],
    ['field number zero', 'core-v1/Pod', '0201'],
    ['a time in the year 300000', 'meta-v1/ObjectMeta', '4207088080e0f8a1a702'],
    ['text that is no quantity', 'core-v1/ResourceFieldSelector', '1a030a0178'],
    ['text that is no JSON', 'apps-v1/ControllerRevision', '12030a017b'],
    ['a schema nested without end', 'apiextensions-v1/JSONSchemaProps', nested(2000)],
  ];
  for (const [what, type, bytes] of hostile) {
    it(`refuses ${what}`, () => {
      expect(reasonWhenDecoding(fromHex(bytes), schemaOf(type))).toBe('BadRequest');
    });
  }

  it('decodes any bytes into an object or a BadRequest', () => {
    const schema = schemaOf('core-v1/Pod');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(['BadRequest', undefined]).toContain(reasonWhenDecoding(bytes, schema));
      }),
    );
  });
});

/** `not { not { … } }`, the given number of times. */
function nested(times: number): string {
  let bytes = new Uint8Array();
  for (let i = 0; i < times; i++) {
    const length = bytes.length;
    const head = length < 128 ? [length] : length < 16_384 ? [(length & 127) | 128, length >> 7] : [];
    if (head.length === 0) break;
    bytes = Uint8Array.of(0xe2, 1, ...head, ...bytes);
  }
  return hex(bytes);
}

function reasonWhenDecoding(bytes: Uint8Array, schema: Schema): string | undefined {
  try {
    decodeProto(bytes, schema);
    return undefined;
  } catch (error) {
    return reasonOf(error) ?? String(error);
  }
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
