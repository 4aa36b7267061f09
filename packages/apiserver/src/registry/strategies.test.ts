import type { KubeObject } from '@coracle/apimachinery';
import { seededRandom, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { usualFeatures } from '../features/feature-gates.js';
import { strategyOf } from './strategies.js';
import type { StrategyContext } from './strategy.js';

type Fields = Record<string, unknown>;

/** A reader without objects, because no strategy under test reads any. */
const context: StrategyContext = {
  user: { name: 'ann', uid: '7', groups: ['devs'], extra: { team: ['x'] } },
  clock: new VirtualClock(),
  random: seededRandom(1),
  features: usualFeatures,
  allowsPrivileged: true,
  objects: { get: () => undefined, list: () => [], getFresh: async () => undefined, generation: () => 0 },
  dryRun: false,
};

function created(group: string, resource: string, object: object): Fields {
  const copy = structuredClone({ metadata: {}, ...object }) as KubeObject;
  strategyOf({ group, resource }).prepareForCreate?.(copy, context);
  return { ...copy };
}

function updated(group: string, resource: string, [object, previous]: readonly [object, object]): Fields {
  const copy = structuredClone({ metadata: {}, ...object }) as KubeObject;
  strategyOf({ group, resource }).prepareForUpdate?.(copy, { metadata: {}, ...previous } as KubeObject, context);
  return { ...copy };
}

describe('creation', () => {
  test.each<[string, string, string, object, object]>([
    [
      'STORE-36 a namespace is active until its content is gone',
      '',
      'namespaces',
      { status: { phase: 'Gone' } },
      { status: { phase: 'Active' }, spec: { finalizers: ['kubernetes'] } },
    ],
    [
      'STORE-39 a claim waits for a volume',
      '',
      'persistentvolumeclaims',
      { status: { phase: 'Bound' } },
      { status: { phase: 'Pending' } },
    ],
    ['a node brings its status', '', 'nodes', { status: { phase: 'Running' } }, { status: { phase: 'Running' } }],
    [
      'of the secrets of an account only the names count',
      '',
      'serviceaccounts',
      { secrets: [{ name: 's', namespace: 'n' }] },
      { secrets: [{ name: 's' }] },
    ],
    [
      'a request for a certificate says who asks',
      'certificates.k8s.io',
      'certificatesigningrequests',
      { spec: { signerName: 'x.io/s', username: 'root' } },
      {
        spec: { signerName: 'x.io/s', username: 'ann', uid: '7', groups: ['devs'], extra: { team: ['x'] } },
        status: {},
      },
    ],
    ['a priority class has a generation', 'scheduling.k8s.io', 'priorityclasses', {}, { metadata: { generation: 1 } }],
    [
      'a CRD remembers the stored versions',
      'apiextensions.k8s.io',
      'customresourcedefinitions',
      {
        spec: {
          versions: [
            { name: 'v1', storage: false },
            { name: 'v2', storage: true },
          ],
        },
      },
      { status: { storedVersions: ['v2'] } },
    ],
  ])('%s', (_sentence, group, resource, object, want) => {
    expect(created(group, resource, object)).toMatchObject(want);
  });

  test('a claim with one data source gets both fields', () => {
    const source = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
    expect(created('', 'persistentvolumeclaims', { spec: { dataSource: source } })).toMatchObject({
      spec: { dataSource: source, dataSourceRef: source },
    });
  });

  test('a data source that dataSource cannot express is set in dataSourceRef only', () => {
    const source = { apiGroup: 'example.com', kind: 'Backup', name: 'b' };
    expect(created('', 'persistentvolumeclaims', { spec: { dataSource: source } })['spec']).toEqual({});
  });

  test('a limit range gets a name', () => {
    expect(created('', 'limitranges', {})['metadata']).toEqual({ name: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });
});

describe('change', () => {
  test('the request of a certificate is immutable', () => {
    const previous = { spec: { signerName: 'a.io/s' }, status: { certificate: 'c' } };
    const object = { spec: { signerName: 'b.io/s' }, status: {} };
    expect(updated('certificates.k8s.io', 'certificatesigningrequests', [object, previous])).toMatchObject(previous);
  });

  test('STORE-36 RES-11 the finalizers of a namespace have a subresource', () => {
    const previous = { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
    expect(updated('', 'namespaces', [{ spec: {} }, previous])).toMatchObject(previous);
  });

  test('new labels of an endpoint slice count as a change', () => {
    const object = { metadata: { labels: { a: 'b' } } };
    const next = updated('discovery.k8s.io', 'endpointslices', [object, { metadata: { generation: 3 } }]);
    expect(next['metadata']).toMatchObject({ generation: 4 });
  });

  test('a CRD adds to the stored versions', () => {
    const object = { spec: { versions: [{ name: 'v1' }, { name: 'v2', storage: true }] } };
    const next = updated('apiextensions.k8s.io', 'customresourcedefinitions', [
      object,
      { status: { storedVersions: ['v1'] } },
    ]);
    expect(next['status']).toMatchObject({ storedVersions: ['v1', 'v2'] });
  });
});

test('STORE-20 RES-16 events expire after an hour, and can be found by their object', () => {
  const { ttlSeconds, selectableFields, selectableFieldsIn } = strategyOf({ group: '', resource: 'events' });
  const event = { metadata: {}, involvedObject: { name: 'p' } } as KubeObject;
  expect(ttlSeconds).toBe(3600);
  expect(selectableFields?.['involvedObject.name']?.(event)).toBe('p');
  expect(selectableFieldsIn?.['events.k8s.io']?.['regarding.name']?.(event)).toBe('p');
});

test('STORE-36 a namespace with finalizers is Terminating', () => {
  const { holdsDeletion, prepareForDelete } = strategyOf({ group: '', resource: 'namespaces' });
  const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };
  const namespace = { metadata, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } } as KubeObject;
  expect(holdsDeletion?.(namespace)).toBe(true);
  prepareForDelete?.(namespace, context);
  expect(namespace).toMatchObject({ status: { phase: 'Terminating' } });
  expect(namespace.metadata).toEqual({ deletionTimestamp: '2026-01-01T00:00:00Z' });
});
