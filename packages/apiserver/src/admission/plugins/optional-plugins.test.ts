import type { Pod } from '@coracle/api';
import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import type { AccessAttributes, Authorizer } from '../../authorization/authorizer.js';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import type { AdmissionPlugin } from '../admission.js';
import { admit, pod, thing, type Write } from './admit.fixture.js';
import { alwaysDeny } from './always.js';
import { alwaysPullImages } from './always-pull-images.js';
import { denyServiceExternalIPs } from './deny-service-external-ips.js';
import { eventRateLimit } from './event-rate-limit.js';
import { extendedResourceToleration } from './extended-resource-toleration.js';
import { limitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.js';
import { namespaceAutoProvision, namespaceExists } from './namespace-presence.js';
import { ownerReferencesPermissionEnforcement } from './owner-references-permission-enforcement.js';
import { podNodeSelector } from './pod-node-selector.js';
import { podTolerationRestriction } from './pod-toleration-restriction.js';
import { podTopologyLabels } from './pod-topology-labels.js';

const namespace = (annotations: Record<string, string> = {}) => ({
  kind: 'Namespace',
  metadata: { name: 'default', annotations },
});
const errorOf = async (plugin: AdmissionPlugin, write: Write) => (await admit(plugin, write)).error;
const specOf = async (plugin: AdmissionPlugin, write: Write) => ((await admit(plugin, write)).object as Pod).spec;

test('ADM-18 AlwaysDeny refuses everything', async () => {
  expect(await errorOf(alwaysDeny, { object: pod() })).toBe(
    'pods "p" is forbidden: admission control is denying all modifications',
  );
});

describe('ADM-18 AlwaysPullImages', () => {
  const containers = [{ name: 'c', image: 'a:1', imagePullPolicy: 'Never' }];

  test('pulls every image', async () => {
    const object = pod({ containers, initContainers: [{ name: 'i' }], volumes: [{ name: 'v', image: {} }] });
    expect(await specOf(alwaysPullImages, { object })).toMatchObject({
      containers: [{ imagePullPolicy: 'Always' }],
      initContainers: [{ imagePullPolicy: 'Always' }],
      volumes: [{ image: { pullPolicy: 'Always' } }],
    });
  });

  test('does not change pods that get no other image', async () => {
    const update = (image: string) => ({
      operation: 'UPDATE' as const,
      object: pod({ containers: [{ name: 'c', image, imagePullPolicy: 'Never' }] }),
      oldObject: pod({ containers }),
    });
    expect((await specOf(alwaysPullImages, update('a:1')))?.containers[0]?.imagePullPolicy).toBe('Never');
    expect((await specOf(alwaysPullImages, update('a:2')))?.containers[0]?.imagePullPolicy).toBe('Always');
  });

  test('refuses a pull policy other than Always after mutation', async () => {
    const undone: AdmissionPlugin = {
      ...alwaysPullImages,
      mutate: ({ object }) => ({ ...object, spec: { ...(object as Pod).spec, containers } }) as Pod,
    };
    expect(await errorOf(undone, { object: pod() })).toBe(
      'pods "p" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"',
    );
  });
});

describe('ADM-18 missing namespaces', () => {
  test('NamespaceAutoProvision creates them, but not for a dry run', async () => {
    const made: string[] = [];
    const writer = {
      create: async (_ref: unknown, object: { metadata: { name?: string } }) => {
        made.push(object.metadata.name ?? '');
        return object;
      },
    };
    const plugin = namespaceAutoProvision({ objects: new MemoryObjects([namespace()]), writer: writer as never });
    await admit(plugin, { object: pod() });
    await admit(plugin, { object: pod(), namespace: 'dry', dryRun: true });
    await admit(plugin, { object: pod(), namespace: 'new' });
    expect(made).toEqual(['new']);
  });

  test('NamespaceExists rejects objects in missing namespaces', async () => {
    const plugin = namespaceExists({ objects: new MemoryObjects([namespace()]) });
    expect(await errorOf(plugin, { object: pod() })).toBeUndefined();
    expect(await errorOf(plugin, { object: pod(), namespace: 'gone' })).toBe('namespaces "gone" not found');
  });
});

test('ADM-18 LimitPodHardAntiAffinityTopology keeps pods off nodes only', async () => {
  const apart = (topologyKey: string) =>
    pod({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] } } });
  const plugin = limitPodHardAntiAffinityTopology;
  expect(await errorOf(plugin, { object: apart('kubernetes.io/hostname') })).toBeUndefined();
  expect(await errorOf(plugin, { object: apart('topology.kubernetes.io/zone') })).toBe(
    'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey topology.kubernetes.io/zone but only key kubernetes.io/hostname is allowed',
  );
});

describe('ADM-18 PodNodeSelector', () => {
  const objects = new MemoryObjects([
    namespace({ 'scheduler.alpha.kubernetes.io/node-selector': 'env=prod, disk=ssd' }),
  ]);

  test('merges the selectors of the namespace', async () => {
    const spec = await specOf(podNodeSelector({ objects }), {
      object: pod({ nodeSelector: { disk: 'ssd', gpu: 'a' } }),
    });
    expect(spec?.nodeSelector).toEqual({ env: 'prod', disk: 'ssd', gpu: 'a' });
  });

  test('rejects a contradicting pod', async () => {
    expect(await errorOf(podNodeSelector({ objects }), { object: pod({ nodeSelector: { env: 'dev' } }) })).toBe(
      'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
    );
  });

  test('uses the plugin configuration where the namespace has no annotation', async () => {
    const bare = new MemoryObjects([namespace()]);
    const plugin = podNodeSelector({ objects: bare }, { clusterDefaultNodeSelector: 'env=all', default: 'env=all' });
    expect((await specOf(plugin, { object: pod() }))?.nodeSelector).toEqual({ env: 'all' });
    expect(await errorOf(plugin, { object: pod({ nodeSelector: { gpu: 'a' } }) })).toBe(
      'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist',
    );
  });
});

describe('ADM-18 PodTolerationRestriction', () => {
  const spot = { key: 'spot', operator: 'Exists', effect: 'NoSchedule' };
  const list = JSON.stringify([spot]);

  test('adds the tolerations of the namespace, once', async () => {
    const objects = new MemoryObjects([namespace({ 'scheduler.alpha.kubernetes.io/defaultTolerations': list })]);
    const plugin = podTolerationRestriction({ objects });
    expect((await specOf(plugin, { object: pod() }))?.tolerations).toEqual([spot]);
    expect((await specOf(plugin, { object: pod({ tolerations: [spot] }) }))?.tolerations).toEqual([spot]);
  });

  test('rejects tolerations that the namespace does not allow', async () => {
    const objects = new MemoryObjects([namespace({ 'scheduler.alpha.kubernetes.io/tolerationsWhitelist': list })]);
    const plugin = podTolerationRestriction({ objects });
    const narrow = { ...spot, operator: 'Equal', value: 'x' };
    expect(await errorOf(plugin, { object: pod({ tolerations: [narrow] }) })).toBeUndefined();
    expect(await errorOf(plugin, { object: pod({ tolerations: [{ operator: 'Exists' }] }) })).toContain(
      'conflict with its namespace whitelist',
    );
  });

  test('adds the memory pressure toleration to pods with requests', async () => {
    const plugin = podTolerationRestriction({ objects: new MemoryObjects([namespace()]) });
    const object = pod({ containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] });
    expect((await specOf(plugin, { object }))?.tolerations).toEqual([
      { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
    ]);
  });
});

describe('ADM-16 EventRateLimit', () => {
  const event = (involved: string) =>
    thing('Event', 'e', { source: { component: 'kubelet' }, involvedObject: { kind: 'Pod', name: involved } });
  const write = (name: string, ns = 'default'): Write => ({ resource: 'events', object: event(name), namespace: ns });

  test('rejects events beyond the rate with 429, and accepts more later', async () => {
    const clock = new VirtualClock();
    const plugin = eventRateLimit({ clock }, { limits: [{ type: 'Namespace', qps: 1, burst: 2 }] });
    const limit = 'limit reached on type Namespace for key default';
    const outcomes = [];
    for (let i = 0; i < 3; i++) outcomes.push(await errorOf(plugin, write('a')));
    expect(outcomes).toEqual([undefined, undefined, limit]);
    expect(await errorOf(plugin, write('a', 'other'))).toBeUndefined();
    await clock.advance(1_000);
    expect(await errorOf(plugin, write('a'))).toBeUndefined();
  });

  test('drops the oldest source when its cache is full', async () => {
    const limits = [{ type: 'SourceAndObject', qps: 0.001, burst: 1, cacheSize: 1 }];
    const plugin = eventRateLimit({ clock: new VirtualClock() }, { limits });
    expect(await errorOf(plugin, write('a'))).toBeUndefined();
    expect(await errorOf(plugin, write('a'))).toBe('limit reached on type SourceAndObject for key kubeletPoda');
    expect(await errorOf(plugin, write('b'))).toBeUndefined();
    expect(await errorOf(plugin, write('a'))).toBeUndefined();
  });
});

test('ADM-18 ExtendedResourceToleration tolerates the taints of the requested resources', async () => {
  const requests = { cpu: '1', 'example.com/gpu': '1', 'kubernetes.io/x': '1' };
  const object = pod({ containers: [{ name: 'c', resources: { requests } }] });
  expect((await specOf(extendedResourceToleration, { object }))?.tolerations).toEqual([
    { key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' },
  ]);
});

test('ADM-18 DenyServiceExternalIPs accepts existing external IPs', async () => {
  const service = (...externalIPs: string[]) => thing('Service', 's', { spec: { externalIPs } });
  const plugin = denyServiceExternalIPs;
  const refused = 'services "s" is forbidden: Use of external IPs is denied by admission control.';
  expect(await errorOf(plugin, { resource: 'services', object: service('1.2.3.4') })).toBe(refused);
  const update = { resource: 'services', operation: 'UPDATE' as const, oldObject: service('1.2.3.4', '5.6.7.8') };
  expect(await errorOf(plugin, { ...update, object: service('5.6.7.8') })).toBeUndefined();
  expect(await errorOf(plugin, { ...update, object: service('9.9.9.9') })).toBe(refused);
});

test('ADM PodTopologyLabels labels pods and bindings like their node', async () => {
  const labels = { 'topology.kubernetes.io/zone': 'a', 'topology.kubernetes.io/region': 'r', other: 'x' };
  const objects = new MemoryObjects([{ kind: 'Node', metadata: { name: 'n', labels } }]);
  const plugin = podTopologyLabels({ objects });
  const expected = { 'topology.kubernetes.io/zone': 'a', 'topology.kubernetes.io/region': 'r' };
  const binding = thing('Binding', 'p', { target: { kind: 'Node', name: 'n' } });
  expect((await admit(plugin, { object: binding, subresource: 'binding' })).object?.metadata.labels).toEqual(expected);
  expect((await admit(plugin, { object: pod({ nodeName: 'n' }) })).object?.metadata.labels).toEqual(expected);
  expect((await admit(plugin, { object: pod() })).object?.metadata.labels).toBeUndefined();
});

describe('ADM-18 OwnerReferencesPermissionEnforcement', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u' };
  const owned = (blockOwnerDeletion = false) => pod({}, { ownerReferences: [{ ...owner, blockOwnerDeletion }] });
  const plugin = (...allowed: string[]) => {
    const authorizer: Authorizer = {
      name: 'test',
      authorize: ({ verb, resource, subresource }: AccessAttributes) =>
        allowed.includes(`${verb} ${resource}${subresource && `/${subresource}`}`)
          ? { kind: 'allow', reason: '' }
          : { kind: 'no-opinion', reason: 'no' },
    };
    return ownerReferencesPermissionEnforcement({ objects: new MemoryObjects([]), authorizer });
  };

  test.each([
    { name: 'lets things without owners pass', object: pod(), allowed: [], error: undefined },
    {
      name: 'refuses an owner for what cannot be deleted',
      object: owned(),
      allowed: [],
      error: `pods "p" is forbidden: cannot set an ownerRef on a resource you can't delete: no, <nil>`,
    },
    { name: 'takes one for what can', object: owned(), allowed: ['delete pods'], error: undefined },
    {
      name: 'refuses to make an owner wait whose finalizers cannot be changed',
      object: owned(true),
      allowed: ['delete pods'],
      error: `pods "p" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: no, <nil>`,
    },
    {
      name: 'makes one wait whose can',
      object: owned(true),
      allowed: ['delete pods', 'update replicasets/finalizers'],
      error: undefined,
    },
    {
      name: 'does not know who owns by an unknown kind',
      object: pod({}, { ownerReferences: [{ ...owner, kind: 'Nothing', blockOwnerDeletion: true }] }),
      allowed: ['delete pods'],
      error: expect.stringContaining('cannot find RESTMapping for APIVersion apps/v1 Kind Nothing'),
    },
  ])('$name', async ({ object, allowed, error }) => {
    expect(await errorOf(plugin(...allowed), { object })).toEqual(error);
  });

  test('ignores owners that stay', async () => {
    const write: Write = { operation: 'UPDATE', object: owned(true), oldObject: owned(true) };
    expect(await errorOf(plugin(), write)).toBeUndefined();
  });
});
