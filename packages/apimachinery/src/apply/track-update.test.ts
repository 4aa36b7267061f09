import { schemaOf } from '@coracle/api';
import { deepFreeze } from '@coracle/base';
import { describe, expect, it } from 'vitest';
import type { ObjectSchema } from '../schema.js';
import { Story } from './story.fixture.js';
import { thingSchema } from './thing.fixture.js';
import { trackUpdate } from './track-update.js';

const now = '2026-01-01T00:00:00Z';

describe('trackUpdate on create', () => {
  const cases: { does: string; kind: string; object: object; owns: object }[] = [
    {
      does: 'owns maps with their keys, but not the metadata that holds them',
      kind: 'core-v1/ConfigMap',
      object: { metadata: { name: 'x', annotations: { note: 'y' } }, data: { a: '1' } },
      owns: { 'f:data': { '.': {}, 'f:a': {} }, 'f:metadata': { 'f:annotations': { '.': {}, 'f:note': {} } } },
    },
    {
      does: 'owns no frame that is always there',
      kind: 'apps-v1/Deployment',
      object: { spec: { template: { spec: { containers: [{ name: 'c' }] } } } },
      owns: {
        'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:name': {} } } } } },
      },
    },
    {
      does: 'owns a frame that may be missing',
      kind: 'core-v1/ReplicationController',
      object: { spec: { template: { spec: { containers: [{ name: 'c' }] } } } },
      owns: {
        'f:spec': {
          'f:template': {
            '.': {},
            'f:spec': { '.': {}, 'f:containers': { '.': {}, 'k:{"name":"c"}': { '.': {}, 'f:name': {} } } },
          },
        },
      },
    },
    {
      does: 'fills the protocol of a service port',
      kind: 'core-v1/Service',
      object: { spec: { ports: [{ port: 80 }] } },
      owns: { 'f:spec': { 'f:ports': { '.': {}, 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } } },
    },
    {
      does: 'fills the protocol of a container port',
      kind: 'core-v1/Pod',
      object: { spec: { containers: [{ name: 'c', ports: [{ containerPort: 80 }] }] } },
      owns: {
        'f:spec': {
          'f:containers': {
            'k:{"name":"c"}': {
              '.': {},
              'f:name': {},
              'f:ports': { '.': {}, 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
            },
          },
        },
      },
    },
    {
      does: 'fills a required key with its zero',
      kind: 'core-v1/Pod',
      object: { spec: { containers: [{ image: 'x' }] } },
      owns: { 'f:spec': { 'f:containers': { 'k:{"name":""}': { '.': {}, 'f:image': {} } } } },
    },
    {
      does: 'owns selectors as a whole',
      kind: 'apps-v1/Deployment',
      object: { spec: { selector: { matchLabels: { a: 'b' } } } },
      owns: { 'f:spec': { 'f:selector': {} } },
    },
    {
      does: 'owns free-form data of built-in types as a whole',
      kind: 'apps-v1/ControllerRevision',
      object: { data: { a: { b: 1 } } },
      owns: { 'f:data': {} },
    },
    {
      does: 'owns no identity',
      kind: 'core-v1/ConfigMap',
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'x', namespace: 'y', uid: 'u', generation: 1, resourceVersion: '1', creationTimestamp: now },
        immutable: true,
      },
      owns: { 'f:immutable': {} },
    },
  ];

  it.each(cases)('$does', ({ kind, object, owns }) => {
    const schema = schemaOf(kind) as ObjectSchema;
    const entries = trackUpdate({
      live: undefined,
      object: deepFreeze(object),
      schema,
      manager: 'm',
      apiVersion: 'v1',
      now,
    });
    expect(entries).toEqual([
      { manager: 'm', operation: 'Update', apiVersion: 'v1', time: now, fieldsType: 'FieldsV1', fieldsV1: owns },
    ]);
  });

  it('records no managers of an object with an item that lacks its key', () => {
    const object = { automountServiceAccountToken: true, secrets: [{}] };
    const schema = schemaOf('core-v1/ServiceAccount') as ObjectSchema;
    const create = { live: undefined, object, schema, manager: 'm', apiVersion: 'v1', now };
    expect(trackUpdate(create)).toBeUndefined();
    const managedFields = trackUpdate({ ...create, object: { automountServiceAccountToken: false } });
    const live = { automountServiceAccountToken: false, metadata: { managedFields } };
    expect(trackUpdate({ ...create, live, manager: 'n' })).toEqual(managedFields);
  });

  it('writes fields in order', () => {
    const story = new Story(thingSchema).update('m', { text: 'a', map: { b: '1', a: '2' }, flag: true });
    const fields = story.stored?.metadata.managedFields?.[0]?.fieldsV1;
    expect(JSON.stringify(fields)).toBe('{"f:flag":{},"f:map":{".":{},"f:a":{},"f:b":{}},"f:text":{}}');
  });

  it('has no managers for an object without fields', () => {
    expect(new Story(thingSchema).update('m', {}).stored?.metadata.managedFields).toBeUndefined();
  });
});

describe('trackUpdate on update', () => {
  const created = () => new Story(thingSchema).update('one', { text: 'a', number: 1 });

  it('transfers changed fields to the manager that changed them', () => {
    expect(created().update('two', { text: 'b', number: 1, flag: true }).owners()).toEqual({
      'one (Update)': { 'f:number': {} },
      'two (Update)': { 'f:flag': {}, 'f:text': {} },
    });
  });

  it('keeps the same entries, and their times, when nothing changed', () => {
    const story = created();
    const before = story.stored?.metadata.managedFields;
    story.update('two', { text: 'a', number: 1 });
    expect(story.stored?.metadata.managedFields).toEqual(before);
  });

  it('renews only the time of the manager that changed something', () => {
    const story = created().update('two', { text: 'b', number: 1 }).update('two', { text: 'c', number: 1 });
    expect(story.stored?.metadata.managedFields?.map(({ manager, time }) => [manager, time])).toEqual([
      ['one', '2026-01-01T00:00:01Z'],
      ['two', '2026-01-01T00:00:03Z'],
    ]);
  });

  it('renews no time when something was only removed', () => {
    const story = created().update('two', { number: 1 });
    expect(story.stored?.metadata.managedFields?.map(({ manager, time }) => [manager, time])).toEqual([
      ['one', '2026-01-01T00:00:01Z'],
    ]);
  });

  it('keeps updates by a subresource apart', () => {
    expect(created().update('one', { text: 'a', number: 2 }, { subresource: 'status' }).owners()).toEqual({
      'one (Update)': { 'f:text': {} },
      'one (Update)/status': { 'f:number': {} },
    });
  });

  it('ignores fields that the request cannot change', () => {
    const story = new Story(thingSchema, { resetFields: { 'f:struct': {} } }).update('one', {
      text: 'a',
      struct: { a: '1' },
    });
    expect(story.owners()).toEqual({ 'one (Update)': { 'f:text': {} } });
  });

  it.each([
    ['an empty list', []],
    ['one empty entry', [{}]],
  ])('drops all managers when the client sends %s, until the next apply', (_, managedFields) => {
    const story = created().update('two', { text: 'b', number: 1, metadata: { managedFields } });
    expect(story.owners()).toEqual({});
    expect(story.update('two', { text: 'c', number: 1 }).owners()).toEqual({});
    expect(story.apply('three', { flag: true }).owners()).toEqual({
      three: { 'f:flag': {} },
      'before-first-apply (Update)': { 'f:number': {}, 'f:text': {} },
    });
  });

  it('lets the client edit managed fields', () => {
    const entry = {
      manager: 'edited',
      operation: 'Apply',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:text': {} },
    };
    const story = created().update('two', { text: 'a', number: 1, metadata: { managedFields: [entry] } });
    expect(story.owners()).toEqual({ edited: { 'f:text': {} } });
  });

  it('takes owners that cannot be read for none that were sent', () => {
    const entry = { manager: 'edited', operation: 'Sing', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} };
    const story = created().update('one', { text: 'a', number: 1, metadata: { managedFields: [entry] } });
    expect(story.owners()).toEqual({ 'one (Update)': { 'f:number': {}, 'f:text': {} } });
  });

  it('does not let a subresource edit managed fields', () => {
    const story = created().update(
      'two',
      { text: 'a', number: 1, metadata: { managedFields: [] } },
      { subresource: 'status' },
    );
    expect(story.owners()).toEqual({ 'one (Update)': { 'f:number': {}, 'f:text': {} } });
  });

  it('joins the oldest updaters when there are more than ten', () => {
    const story = new Story(thingSchema);
    const map: Record<string, string> = {};
    for (let i = 0; i < 12; i++) {
      map[`k${i}`] = '1';
      story.update(`m${i}`, { map: { ...map } });
    }
    const owners = story.owners();
    expect(Object.keys(owners)).toHaveLength(10);
    expect(owners['ancient-changes (Update)']).toEqual({ 'f:map': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} } });
    expect(story.stored?.metadata.managedFields?.[0]).toMatchObject({
      manager: 'ancient-changes',
      time: '2026-01-01T00:00:03Z',
    });
  });

  it('sorts appliers before updaters, each by time', () => {
    const story = new Story(thingSchema)
      .update('z', { text: 'a' })
      .apply('y', { number: 1 })
      .apply('x', { flag: true });
    story.update('w', { text: 'a', number: 1, flag: true, map: { a: '1' } });
    expect(Object.keys(story.owners())).toEqual(['y', 'x', 'z (Update)', 'w (Update)']);
  });
});

describe('a free-form value that becomes one of another type', () => {
  const story = () => new Story(thingSchema).update('one', { free: { a: 1 } });

  it('is owned as a whole if it was an object', () => {
    expect(story().update('one', { free: [] }).owners()).toEqual({ 'one (Update)': { 'f:free': {} } });
  });

  it('is owned with its fields when it becomes an object', () => {
    const changed = story()
      .update('one', { free: 'text' })
      .update('one', { free: { b: 2 } });
    expect(changed.owners()).toEqual({ 'one (Update)': { 'f:free': { '.': {}, 'f:b': {} } } });
  });
});
