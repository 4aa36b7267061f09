import { describe, expect, test } from 'vitest';
import { formatFieldError } from './field-error.js';
import { FieldPath } from './field-path.js';
import type { ObjectMeta } from './object-meta.js';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.validation.js';

const good: ObjectMeta = { name: 'web', namespace: 'default' };
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u' };
const neither = 'name is neither a standard finalizer name nor is it fully qualified';

describe('validateObjectMeta', () => {
  const cases: { name: string; meta: ObjectMeta; expected: string[]; namespaced?: boolean }[] = [
    { name: 'takes a name and a namespace', meta: good, expected: [] },
    {
      name: 'requires a name',
      meta: { namespace: 'a' },
      expected: ['metadata.name: Required value: name or generateName is required'],
    },
    { name: 'requires a namespace', meta: { name: 'a' }, expected: ['metadata.namespace: Required value'] },
    {
      name: 'refuses a namespace on a cluster-wide kind',
      meta: good,
      namespaced: false,
      expected: ['metadata.namespace: Forbidden: not allowed on this type'],
    },
    { name: 'lets generateName end in a dash', meta: { ...good, generateName: 'web-' }, expected: [] },
    {
      name: 'refuses a negative generation',
      meta: { ...good, generation: -1 },
      expected: ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    },
    {
      name: 'takes upper case in keys of annotations',
      meta: { ...good, annotations: { 'Example.com/A': 'any text' } },
      expected: [],
    },
    {
      name: 'limits annotations',
      meta: { ...good, annotations: { a: 'x'.repeat(256 * 1024) } },
      expected: ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    },
    {
      name: 'requires all parts of an owner reference',
      meta: { ...good, ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] },
      expected: [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    },
    {
      name: 'takes an owner that is its controller',
      meta: { ...good, ownerReferences: [{ ...owner, controller: true }, owner] },
      expected: [],
    },
    {
      name: 'takes qualified and standard finalizers',
      meta: { ...good, finalizers: ['a.b/c', 'orphan'] },
      expected: [],
    },
    {
      name: 'refuses other finalizers',
      meta: { ...good, finalizers: ['a.b/c', 'abc'] },
      expected: [`metadata.finalizers[1]: Invalid value: "abc": ${neither}`],
    },
    {
      name: 'refuses two finalizers that contradict each other',
      meta: { ...good, finalizers: ['orphan', 'foregroundDeletion'] },
      expected: [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer foregroundDeletion and orphan cannot be both set',
      ],
    },
    {
      name: 'checks managed fields',
      meta: { ...good, managedFields: [{ operation: 'x', fieldsType: 'y', manager: 'a\u0000' }] },
      expected: [
        'metadata.managedFields[0].operation: Invalid value: "x": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "y": must be `FieldsV1`',
        'metadata.managedFields[0].manager: Invalid value: "a\\x00": invalid character U+0000 (at position 1)',
      ],
    },
  ];

  test.each(cases)('$name', ({ meta, expected, namespaced = true }) => {
    expect(validateObjectMeta(meta, { namespaced }).map(formatFieldError)).toEqual(expected);
  });

  test('reports an invalid label at the labels, with the value', () => {
    const [error] = validateObjectMeta({ ...good, labels: { a: 'a,b' } }, { namespaced: true });
    expect(error).toMatchObject({
      type: 'FieldValueInvalid',
      field: 'metadata.labels',
      body: expect.stringMatching(/^Invalid value: "a,b": a valid label must/),
    });
  });

  test('refuses two controllers and an event as owner', () => {
    const twice = [
      { ...owner, controller: true },
      { ...owner, name: 'rs2', controller: true },
    ];
    const errors = validateObjectMeta(
      { ...good, ownerReferences: [...twice, { ...owner, apiVersion: 'v1', kind: 'Event' }] },
      { namespaced: true },
    );
    expect(errors.map(({ body }) => body.replace(/.*: /, ''))).toEqual([
      'Only one reference can have Controller set to true. Found "true" in references for rs and rs2',
      '/v1, Kind=Event is disallowed from being an owner',
    ]);
  });

  test('accepts any finalizer of custom resources', () => {
    expect(validateObjectMeta({ ...good, finalizers: ['abc'] }, { namespaced: true, anyFinalizer: true })).toEqual([]);
  });

  test('uses the given name check and path', () => {
    const errors = validateObjectMeta(good, {
      namespaced: true,
      validateName: () => ['no'],
      path: FieldPath.of('spec', 'metadata'),
    });
    expect(errors.map(formatFieldError)).toEqual(['spec.metadata.name: Invalid value: "web": no']);
  });
});

describe('validateObjectMetaUpdate', () => {
  const previous: ObjectMeta = { ...good, uid: 'u', resourceVersion: '1', generation: 2, finalizers: ['a.b/c'] };
  const cases: { name: string; change: ObjectMeta; expected: string[] }[] = [
    { name: 'takes no change', change: {}, expected: [] },
    {
      name: 'requires a resource version',
      change: { resourceVersion: '' },
      expected: ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    },
    {
      name: 'refuses a generation that goes down',
      change: { generation: 1 },
      expected: ['metadata.generation: Invalid value: 1: must not be decremented'],
    },
    {
      name: 'refuses another uid',
      change: { uid: 'v' },
      expected: ['metadata.uid: Invalid value: "v": field is immutable'],
    },
    {
      name: 'refuses another creation',
      change: { creationTimestamp: '2026-01-01T00:00:00Z' },
      expected: ['metadata.creationTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable'],
    },
    {
      name: 'refuses a deletion',
      change: { deletionTimestamp: '2026-01-01T00:00:00Z' },
      expected: ['metadata.deletionTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable'],
    },
    { name: 'takes a new finalizer', change: { finalizers: ['a.b/c', 'a.b/d'] }, expected: [] },
  ];

  test.each(cases)('$name', ({ change, expected }) => {
    expect(validateObjectMetaUpdate({ ...previous, ...change }, previous).map(formatFieldError)).toEqual(expected);
  });

  test('rejects new finalizers on an object that is being deleted, and accepts their removal', () => {
    const deleted = { ...previous, deletionTimestamp: '2026-01-01T00:00:00Z' };
    const errors = validateObjectMetaUpdate({ ...deleted, finalizers: ['x.y/z'] }, deleted);
    expect(errors.map(formatFieldError)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.y/z"}',
    ]);
    expect(validateObjectMetaUpdate({ ...deleted, finalizers: [] }, deleted)).toEqual([]);
  });
});
