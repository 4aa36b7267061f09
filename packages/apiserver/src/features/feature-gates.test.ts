import { PrometheusMetrics } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';
import { FeatureGates, gateProblem } from './feature-gates.js';
import { showFeatures } from './show-features.js';

describe('FLAG-32 a gate', () => {
  test.each([
    ['is as upstream has it', {}, { WatchList: true, ContainerStopSignals: false }],
    [
      'is as it is set',
      { WatchList: false, ContainerStopSignals: true },
      { WatchList: false, ContainerStopSignals: true },
    ],
    [
      'of a stage goes with all of it',
      { AllAlpha: true, AllBeta: false },
      { WatchList: false, ContainerStopSignals: true },
    ],
    ['that is named goes by its name', { AllBeta: false, WatchList: true }, { WatchList: true, EnvFiles: false }],
  ] as const)('%s', (_name, set, expected) => {
    const gates = new FeatureGates(set);
    for (const [name, isOn] of Object.entries(expected))
      expect([name, gates.isOn(name as 'WatchList')]).toEqual([name, isOn]);
  });

  test.each([
    ['NoSuchGate', true, 'unrecognized feature gate: NoSuchGate'],
    ['SidecarContainers', false, 'cannot set feature gate SidecarContainers to false, feature is locked to true'],
    ['SidecarContainers', true, undefined],
    ['ImageVolume', false, 'cannot set feature gate ImageVolume to false, feature is locked to true'],
    ['GitRepoVolumeDriver', true, 'cannot set feature gate GitRepoVolumeDriver to true, feature is locked to false'],
    ['HonorPVReclaimPolicy', true, 'unrecognized feature gate: HonorPVReclaimPolicy'],
    ['MutatingAdmissionPolicy', false, undefined],
    ['WatchList', false, undefined],
  ])('%s=%s: %s', (name, value, problem) => {
    expect(gateProblem(name, value)).toBe(problem);
  });
});

test('gates are shown with their stage', () => {
  const metrics = new PrometheusMetrics();
  showFeatures(new FeatureGates({ WatchList: false }), metrics);
  const text = metrics.render();
  expect(text).toContain('kubernetes_feature_enabled{name="WatchList",stage="BETA"} 0');
  expect(text).toContain('kubernetes_feature_enabled{name="SidecarContainers",stage=""} 1');
});

const statefulSet = {
  path: '/apis/apps/v1/namespaces/default/statefulsets',
  body: {
    metadata: { name: 's' },
    spec: {
      serviceName: 's',
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
    },
  },
  field: ({ spec }: Body): unknown => spec.updateStrategy?.rollingUpdate?.maxUnavailable,
};
const csiDriver = {
  path: '/apis/storage.k8s.io/v1/csidrivers',
  body: { metadata: { name: 'd.example.com' }, spec: { preventPodSchedulingIfMissing: true } },
  field: ({ spec }: Body): unknown => spec.preventPodSchedulingIfMissing,
};
const resourceSlice = {
  path: '/apis/resource.k8s.io/v1/resourceslices',
  body: {
    metadata: { name: 'r' },
    spec: {
      driver: 'd.example.com',
      nodeName: 'n',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [
        {
          name: 'gpu',
          attributes: { links: { string: 'a' } },
          nodeAllocatableResourceMappings: { cpu: { allocationMultiplier: '1' } },
        },
      ],
    },
  },
  field: ({ spec }: Body): unknown => spec.devices?.[0]?.nodeAllocatableResourceMappings,
};
const claim = {
  path: '/api/v1/namespaces/default/persistentvolumeclaims',
  body: {
    metadata: { name: 'c' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      dataSourceRef: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's', namespace: 'other' },
    },
  },
  field: ({ spec }: Body): unknown => spec.dataSourceRef,
};

/** The fields of the objects that the tests compare. */
interface Body {
  readonly spec: {
    readonly updateStrategy?: { readonly rollingUpdate?: { readonly maxUnavailable?: number } };
    readonly preventPodSchedulingIfMissing?: boolean;
    readonly devices?: readonly { readonly nodeAllocatableResourceMappings?: unknown }[];
    readonly dataSourceRef?: unknown;
  };
}

describe('a server', () => {
  const pods = '/api/v1/namespaces/default/pods';
  const pod = (spec: object) => ({
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  });

  test('does not stream lists without WatchList', async () => {
    const { call } = await startTestServer({ features: new FeatureGates({ WatchList: false }) });
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const { status, body } = await call('GET', `${pods}?${query}`);
    expect([status, body.message]).toEqual([
      422,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    ]);
  });

  test('drops the fields of disabled features, and keeps those in use', async () => {
    const spec = { hostnameOverride: 'h', schedulingGroup: { podGroupName: 'g' } };
    const usual = await startTestServer();
    expect((await usual.call('POST', `${pods}?dryRun=All`, pod(spec))).body.spec).toMatchObject({
      hostnameOverride: 'h',
    });
    const { call } = await startTestServer({ features: new FeatureGates({ HostnameOverride: false }) });
    const { body } = await call('POST', `${pods}?dryRun=All`, pod(spec));
    expect([body.spec.hostnameOverride, body.spec.schedulingGroup]).toEqual([undefined, undefined]);
  });

  test.each([
    ['StatefulSets may take down several pods at a time', 'MaxUnavailableStatefulSet', statefulSet],
    ['CSI drivers may hold pods back', 'VolumeLimitScaling', csiDriver],
    ['devices may count as what a node has', 'DRANodeAllocatableResources', resourceSlice],
    ['claims may be filled from another namespace', 'CrossNamespaceVolumeDataSource', claim],
  ] as const)('lets %s only if %s is on', async (_name, gate, { path, body, field }) => {
    const readBack = async (isOn: boolean) => {
      const { call } = await startTestServer({ features: new FeatureGates({ [gate]: isOn }) });
      const answer = await call('POST', `${path}?dryRun=All`, body);
      expect(answer.status).toBe(201);
      return field(answer.body);
    };
    expect([await readBack(true), await readBack(false)]).toEqual([field(body), undefined]);
  });

  test('does not report storage versions without StorageVersionHash', async () => {
    const { call } = await startTestServer({ features: new FeatureGates({ StorageVersionHash: false }) });
    const { body } = await call('GET', '/api/v1');
    expect(body.resources.some((one: { storageVersionHash?: string }) => one.storageVersionHash)).toBe(false);
  });
});
