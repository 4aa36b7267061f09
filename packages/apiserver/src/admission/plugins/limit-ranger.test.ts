import type { Container, Pod } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import { admit, pod } from './admit.fixture.js';
import { limitRanger } from './limit-ranger.js';

describe('ADM-16 LimitRanger', () => {
  const range = (...limits: object[]) =>
    limitRanger({
      objects: new MemoryObjects([
        {
          kind: 'LimitRange',
          metadata: { name: 'r', namespace: 'default' },
          spec: { limits },
        } as KubeObject,
      ]),
    });
  const asking = (requests?: object, limits?: object) =>
    pod({
      containers: [{ name: 'c', resources: { ...(requests && { requests }), ...(limits && { limits }) } } as Container],
    });

  test('sets defaults, and records them in an annotation', async () => {
    const plugin = range({ type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '100m' } });
    const { object } = await admit(plugin, { object: asking({ cpu: '200m' }, { memory: '2Gi' }) });

    expect(object).toMatchObject({
      metadata: { annotations: { 'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu limit for container c' } },
      spec: { containers: [{ resources: { requests: { cpu: '200m' }, limits: { cpu: '1', memory: '2Gi' } } }] },
    });
  });

  test('sets defaults for resources with names of inherited properties', async () => {
    const { object } = await admit(range({ type: 'Container', default: { constructor: '1' } }), { object: asking() });

    expect(object).toMatchObject({ spec: { containers: [{ resources: { limits: { constructor: '1' } } }] } });
  });

  const cases: { name: string; item: object; object: Pod; error?: string }[] = [
    { name: 'enough', item: { type: 'Container', min: { cpu: '100m' } }, object: asking({ cpu: '100m' }) },
    {
      name: 'too little',
      item: { type: 'Container', min: { cpu: '100m' } },
      object: asking({ cpu: '50m' }),
      error: 'minimum cpu usage per Container is 100m, but request is 50m',
    },
    {
      name: 'nothing said',
      item: { type: 'Container', min: { cpu: '100m' } },
      object: asking(),
      error: 'minimum cpu usage per Container is 100m.  No request is specified',
    },
    {
      name: 'a limit too low',
      item: { type: 'Container', min: { cpu: '100m' } },
      object: asking({ cpu: '100m' }, { cpu: '50m' }),
      error: 'minimum cpu usage per Container is 100m, but limit is 50m',
    },
    {
      name: 'a limit too high',
      item: { type: 'Container', max: { memory: '1Gi' } },
      object: asking({}, { memory: '2Gi' }),
      error: 'maximum memory usage per Container is 1Gi, but limit is 2Gi',
    },
    {
      name: 'no limit at all',
      item: { type: 'Container', max: { memory: '1Gi' } },
      object: asking({}),
      error: 'maximum memory usage per Container is 1Gi.  No limit is specified',
    },
    {
      name: 'too far apart',
      item: { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      object: asking({ cpu: '1' }, { cpu: '3' }),
      error: 'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
    },
    {
      name: 'a pod as a whole',
      item: { type: 'Pod', max: { cpu: '1' } },
      object: pod({
        containers: [
          { name: 'a', resources: { limits: { cpu: '600m' } } },
          { name: 'b', resources: { limits: { cpu: '600m' } } },
        ],
      }),
      error: 'maximum cpu usage per Pod is 1, but limit is 1200m',
    },
    {
      name: 'a pod as a whole, without the overhead of its runtime class',
      item: { type: 'Pod', max: { cpu: '1' } },
      object: pod({ overhead: { cpu: '500m' }, containers: [{ name: 'a', resources: { limits: { cpu: '600m' } } }] }),
    },
  ];

  test.each(cases)('$name', async ({ item, object, error }) => {
    expect((await admit(range(item), { object })).error).toBe(error && `pods "p" is forbidden: ${error}`);
  });

  test.each([
    [{ storage: '1Gi' }, 'minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi'],
    [{ storage: '5Gi' }, 'maximum storage usage per PersistentVolumeClaim is 4Gi, but request is 5Gi'],
    [{ storage: '3Gi' }, undefined],
    [
      {},
      '[minimum storage usage per PersistentVolumeClaim is 2Gi.  No request is specified, maximum storage usage per PersistentVolumeClaim is 4Gi.  No request is specified]',
    ],
  ])('the request of a claim: %j', async (requests, error) => {
    const item = { type: 'PersistentVolumeClaim', min: { storage: '2Gi' }, max: { storage: '4Gi' } };
    const object = { kind: 'PersistentVolumeClaim', metadata: { name: 'c' }, spec: { resources: { requests } } };
    const ratio = { maxLimitRequestRatio: { cpu: '2' } };
    const admitted = await admit(range({ ...item, ...ratio }), { resource: 'persistentvolumeclaims', object });
    expect(admitted.error).toBe(error && `persistentvolumeclaims "c" is forbidden: ${error}`);
  });

  test('of several limit ranges the first that is violated is reported', async () => {
    const objects = ['a', 'b'].map((name, i) => ({
      kind: 'LimitRange',
      metadata: { name, namespace: 'default' },
      spec: { limits: [{ type: 'Container', max: { cpu: String(i + 1) } }] },
    })) as KubeObject[];
    const { error } = await admit(limitRanger({ objects: new MemoryObjects(objects) }), {
      object: asking({}, { cpu: '5' }),
    });
    expect(error).toBe('pods "p" is forbidden: maximum cpu usage per Container is 1, but limit is 5');
  });

  test('several violations are reported together', async () => {
    const { error } = await admit(range({ type: 'Container', min: { cpu: '1', memory: '1Gi' } }), { object: asking() });

    expect(error).toBe(
      'pods "p" is forbidden: [minimum cpu usage per Container is 1.  No request is specified, minimum memory usage per Container is 1Gi.  No request is specified]',
    );
  });
});
