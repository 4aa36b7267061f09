import { schemaOf } from '@coracle/api';
import {
  applyJsonPatch,
  applyMergePatchToObject,
  decodeObject,
  type KubeObject,
  type ObjectSchema,
} from '@coracle/apimachinery';
import { deepFreeze, isRecord } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { SharedSpecs } from '../registry/interning/spec-interner.js';
import { decodePatched } from './decode-patched.js';

const schema = schemaOf('core-v1/Pod') as ObjectSchema;
const options = { keepsEmptyInLists: true };

const pod = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'a', labels: { app: 'x' }, managedFields: [{ manager: 'm', fieldsV1: { 'f:spec': {} } }] },
  spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'n' },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
};
const base = deepFreeze(decodeObject<KubeObject>(pod, schema, options).object);

const { takeOver } = new SharedSpecs();

function decode(patched: unknown, keepsSpec = true) {
  return decodePatched(patched, { base, takeOver: keepsSpec ? takeOver : undefined, schema, options });
}

const mergePatches: Readonly<Record<string, string>> = {
  'nothing at all': '{}',
  'a label': '{"metadata":{"labels":{"b":"c"}}}',
  'the owners': '{"metadata":{"managedFields":[]}}',
  'the spec': '{"spec":{"nodeName":null,"hostname":"h"}}',
  'the status': '{"status":{"phase":"Failed"}}',
  'all of the spec': '{"spec":null}',
  'an unknown field': '{"odd":{"a":1},"spec":{"odd":2}}',
  'the prototype': '{"__proto__":{"status":{"phase":"Failed"},"odd":1},"spec":{"__proto__":{"hostname":"h"}}}',
  'what every object inherits': '{"constructor":{"a":1},"toString":"x"}',
};

describe('the result of a patch', () => {
  test.each(Object.entries(mergePatches))('of %s is what reading all of it gives', (_what, text) => {
    const patched = applyMergePatchToObject(base, JSON.parse(text));
    const whole = decodeObject<KubeObject>(patched, schema, options);
    const { object, unknownFields } = decode(patched);
    expect({ object, unknownFields }).toEqual({ object: whole.object, unknownFields: whole.unknownFields });
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  });

  test('copies a part of the object that occurs twice', () => {
    const patch = [{ op: 'copy', from: '/metadata/labels', path: '/metadata/annotations' }];
    const { object } = decode(applyJsonPatch(base, patch));
    (object.metadata.annotations as Record<string, string>)['app'] = 'y';
    expect(object.metadata.labels).toEqual({ app: 'x' });
  });

  test.each([true, false])(
    'shares nothing with the patched object but its managed fields and, optionally, its spec (%s)',
    (sharesSpec) => {
      const { object } = decode(applyMergePatchToObject(base, { metadata: { labels: { b: 'c' } } }), sharesSpec);
      expect(sharedWith(base, object)).toEqual(['metadata.managedFields', ...(sharesSpec ? ['spec'] : [])]);
    },
  );
});

/** Paths at which two values are the same object, outermost only. */
function sharedWith(a: unknown, b: unknown, path: readonly string[] = []): string[] {
  if (typeof a !== 'object' || a === null) return [];
  if (a === b) return [path.join('.')];
  if (!isRecord(b) && !Array.isArray(b)) return [];
  const others = b as Readonly<Record<string, unknown>>;
  return Object.entries(a).flatMap(([name, value]) => sharedWith(value, others[name], [...path, name]));
}
