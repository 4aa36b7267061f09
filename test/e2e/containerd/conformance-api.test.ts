import { type PersistentVolume, type PersistentVolumeClaim, type Pod, refs, type VolumeAttachment } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const requests = [{ name: 'req-0', exactly: { deviceClassName: 'example' } }];
const resourceCases: readonly { ref: ResourceRef<KubeObject>; spec?: object }[] = [
  { ref: refs.deviceClasses, spec: { selectors: [{ cel: { expression: 'device.driver == "example.com"' } }] } },
  { ref: refs.resourceClaims, spec: { devices: { requests } } },
  { ref: refs.resourceClaimTemplates, spec: { spec: { devices: { requests } } } },
  {
    ref: refs.resourceSlices,
    spec: {
      driver: 'example.com',
      nodeName: 'some-node',
      pool: { name: 'some-node', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'device-0' }],
    },
  },
];

/** The conformance tests of sig-node and sig-storage that only use the API: no container runs. */
describe('conformance of the API of nodes and storage', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1 });
    await cluster.settled();
  });
  afterEach(() => cluster.stop());

  const toolbox = (): Pod => ({
    metadata: { name: 'pod', namespace: 'default' },
    spec: {
      initContainers: [{ name: 'init', image: 'busybox' }],
      containers: [{ name: 'c', image: 'agnhost', resources: { requests: { cpu: '20m' }, limits: { cpu: '40m' } } }],
    },
  });

  async function volumeAndClaim(): Promise<{ volume: PersistentVolume; claim: PersistentVolumeClaim }> {
    const capacity = { storage: '2Gi' };
    const volume = await cluster.client.resource(refs.persistentVolumes).create({
      metadata: { generateName: 'ns-', labels: { 'e2e-pv-pool': 'ns' } },
      spec: {
        capacity,
        accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'ns',
        csi: { driver: 'e2e-driver', volumeHandle: 'e2e-status-conformance' },
      },
    });
    const claim = await cluster.client.resource(refs.persistentVolumeClaims, 'default').create({
      metadata: { generateName: 'pvc-', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: capacity }, storageClassName: 'ns' },
    });
    await cluster.settled();
    return { volume, claim };
  }

  test('[sig-storage] PersistentVolumes CSI Conformance should apply changes to a pv/pvc status', async () => {
    const { volume, claim } = await volumeAndClaim();
    const volumes = cluster.client.resource(refs.persistentVolumes);
    const claims = cluster.client.resource(refs.persistentVolumeClaims, 'default');
    const [volumeName, claimName] = [volume.metadata.name ?? '', claim.metadata.name ?? ''];
    const read = await claims.getSubresource<PersistentVolumeClaim>(claimName, 'status');
    expect(read.status?.phase).toBe('Bound');
    expect((await volumes.getSubresource<PersistentVolume>(volumeName, 'status')).status?.phase).toBe('Bound');
    const condition = {
      type: 'StatusPatched',
      status: 'True',
      reason: 'E2E patchedStatus',
      message: 'Set from e2e test',
    };
    const options = { type: 'merge', subresource: 'status' } as const;
    const patched = await claims.patch(claimName, { status: { conditions: [condition] } }, options);
    expect(patched.status?.conditions).toMatchObject([condition]);
    const text = { message: 'StatusPatched', reason: 'E2E patchStatus' };
    expect((await volumes.patch(volumeName, { status: text }, options)).status).toMatchObject(text);
    await cluster.settled();
    const other = { ...condition, type: 'StatusUpdated', reason: 'E2E updateStatus' };
    const current = await claims.get(claimName);
    const conditions = [...(current.status?.conditions ?? []), other];
    const updated = await claims.updateStatus({ ...current, status: { ...current.status, conditions } });
    expect(updated.status?.conditions).toMatchObject([condition, other]);
    const bound = await volumes.get(volumeName);
    const newText = { message: 'StatusUpdated', reason: 'E2E updateStatus' };
    expect((await volumes.updateStatus({ ...bound, status: { ...bound.status, ...newText } })).status).toMatchObject(
      newText,
    );
  });

  test('[sig-storage] PersistentVolumes CSI Conformance should run through the lifecycle of a PV and a PVC', async () => {
    const { volume, claim } = await volumeAndClaim();
    const volumes = cluster.client.resource(refs.persistentVolumes);
    const claims = cluster.client.resource(refs.persistentVolumeClaims, 'default');
    await claims.delete(claim.metadata.name ?? '');
    await cluster.settled();
    expect((await claims.list()).items).toEqual([]);
    await volumes.deleteCollection({ labelSelector: 'e2e-pv-pool=ns' });
    await cluster.settled();
    expect((await volumes.list({ labelSelector: 'e2e-pv-pool=ns' })).items).toEqual([]);
    expect(volume.metadata.name).toMatch(/^ns-/);
  });

  test('[sig-storage] VolumeAttachment Conformance should apply changes to a volumeattachment status', async () => {
    const attachments = cluster.client.resource(refs.volumeAttachments);
    const [node] = (await cluster.client.resource(refs.nodes).list()).items;
    const made = await attachments.create({
      metadata: { name: 'va-e2e', uid: 'va-e2e' },
      spec: {
        attacher: 'e2e-test.storage.k8s.io',
        nodeName: node?.metadata.name ?? '',
        source: { persistentVolumeName: 'pv-e2e' },
      },
      status: { attached: false },
    });
    expect(made.metadata.uid).not.toBe('va-e2e');
    await cluster.settled();
    await cluster.clock.advance('10m');
    const read = await attachments.getSubresource<VolumeAttachment>('va-e2e', 'status');
    expect(read.status?.attached).toBe(false);
    const options = { type: 'merge', subresource: 'status' } as const;
    expect((await attachments.patch('va-e2e', { status: { attached: true } }, options)).status?.attached).toBe(true);
    const current = await attachments.get('va-e2e');
    const updated = await attachments.updateStatus({ ...current, status: { attached: false } });
    expect(updated.status?.attached).toBe(false);
    await attachments.delete('va-e2e');
    expect((await attachments.list()).items).toEqual([]);
  });

  test('[sig-node] Pods Extended (pod generation): it starts at 1 and counts updates of the spec alone', async () => {
    const pods = cluster.client.resource(refs.pods, 'default');
    await pods.create({ ...toolbox(), metadata: { name: 'pod', namespace: 'default', generation: 100 } });
    await cluster.settled();
    const update = async (change: (pod: Pod) => Pod) => {
      await pods.update(change(await pods.get('pod')));
      await cluster.settled();
      const { metadata, status } = await pods.get('pod');
      return [metadata.generation, status?.observedGeneration];
    };
    const withSpec = (spec: object) => (pod: Pod) => ({ ...pod, spec: { ...pod.spec, ...spec } }) as Pod;
    const toleration = { key: 'foo', operator: 'Equal', value: 'bar', effect: 'NoSchedule' };
    expect(await update((pod) => pod)).toEqual([1, 1]);
    // The tolerations that admission adds are added again.
    expect(await update(withSpec({ tolerations: [toleration] }))).toEqual([2, 2]);
    expect(await update(withSpec({ activeDeadlineSeconds: 5000 }))).toEqual([3, 3]);
    const withImages = (list: 'containers' | 'initContainers', image: string) => (pod: Pod) =>
      withSpec({ [list]: pod.spec?.[list]?.map((one) => ({ ...one, image })) })(pod);
    expect(await update(withImages('containers', 'nginx'))).toEqual([4, 4]);
    expect(await update(withImages('initContainers', 'pause'))).toEqual([5, 5]);
    const noted = (pod: Pod) => ({ ...pod, metadata: { ...pod.metadata, annotations: { key: 'value' } } });
    expect(await update(noted)).toEqual([5, 5]);
    expect(await update((pod) => ({ ...pod, metadata: { ...pod.metadata, generation: 1 } }))).toEqual([5, 5]);
    await pods.delete('pod', { gracePeriodSeconds: 60 });
    expect((await pods.get('pod')).metadata.generation).toBe(6);
  });

  test('[sig-node] Ephemeral Containers should update the ephemeral containers in an existing pod', async () => {
    const pods = cluster.client.resource(refs.pods, 'default');
    await pods.create(toolbox());
    await cluster.settled();
    const debuggers = ['debugger', 'debugger2'].map((name) => ({
      name,
      image: 'busybox',
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePolicy: 'File',
    }));
    for (const count of [1, 2]) {
      const pod = await pods.get('pod');
      const ephemeralContainers = debuggers.slice(0, count);
      const changed = { ...pod, spec: { ...pod.spec, ephemeralContainers } } as Pod;
      await pods.updateSubresource('pod', 'ephemeralcontainers', changed);
      await cluster.settled();
      const read = await pods.getSubresource<Pod>('pod', 'ephemeralcontainers');
      expect(read.spec?.ephemeralContainers).toHaveLength(count);
      expect(read.metadata.generation).toBe(1 + count);
    }
  });

  test('[sig-node] Pod InPlace Resize Container: resize pod via the replace endpoint', async () => {
    const pods = cluster.client.resource(refs.pods, 'default');
    await pods.create(toolbox());
    await cluster.settled();
    const pod = await pods.getSubresource<Pod>('pod', 'resize');
    const resources = { requests: { cpu: '25m' }, limits: { cpu: '50m' } };
    const containers = pod.spec?.containers.map((one) => ({ ...one, resources })) ?? [];
    await pods.updateSubresource('pod', 'resize', { ...pod, spec: { ...pod.spec, containers } } as Pod);
    await cluster.settled();
    const { spec, status } = await pods.get('pod');
    expect(spec?.containers[0]?.resources).toEqual(resources);
    expect(status?.containerStatuses?.[0]?.resources).toEqual(resources);
    expect(status?.conditions?.map(({ type }) => type).filter((type) => /Resize/.test(type))).toEqual([]);
  });

  test('[sig-node] Node Lifecycle should run through the lifecycle of a node', async () => {
    const nodes = cluster.client.resource(refs.nodes);
    const conditions = [{ type: 'Ready', status: 'True', reason: 'E2E', message: 'Set from e2e test' }];
    await nodes.create({
      metadata: { name: 'fake' },
      spec: { unschedulable: true },
      status: { phase: 'Running', conditions },
    });
    await cluster.settled();
    await nodes.patch('fake', { metadata: { labels: { fake: 'patched' } } }, { type: 'strategic' });
    expect((await nodes.list({ labelSelector: 'fake=patched' })).items).toHaveLength(1);
    await nodes.delete('fake');
    await cluster.settled();
    await expect(nodes.get('fake')).rejects.toMatchObject({ status: { reason: 'NotFound' } });
  });

  test.each(resourceCases)('[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 $ref.kind', async ({ ref, spec }) => {
    const client = cluster.client.resource(ref, ref.namespaced ? 'default' : undefined);
    const labels = { 'e2e-test.kubernetes.io': 'dra' };
    const object = {
      metadata: { name: 'test', ...(ref.namespaced && { namespace: 'default' }), labels },
      ...(spec && { spec }),
    };
    const annotations = { patched: 'true' };
    for (const type of ['strategic', 'merge', 'json', 'apply'] as const) {
      const { uid = '', resourceVersion = '' } = (await client.create(object)).metadata;
      const changed = {
        apiVersion: 'resource.k8s.io/v1',
        kind: ref.kind,
        metadata: { name: 'test', uid, annotations },
      };
      const whole = { ...changed, metadata: { ...changed.metadata, ...(ref.namespaced && { namespace: 'default' }) } };
      const operations = [{ op: 'add', path: '/metadata/annotations', value: annotations }];
      const patched =
        type === 'apply'
          ? await client.apply({ ...whole, ...(spec && { spec }) }, { fieldManager: 'test-apply', force: true })
          : await client.patch('test', type === 'json' ? operations : whole, { type });
      expect(patched.metadata).toMatchObject({ uid, labels, annotations });
      expect(Number(patched.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
      expect((await client.list({ labelSelector: 'e2e-test.kubernetes.io=dra' })).items).toHaveLength(1);
      await client.deleteCollection({ labelSelector: 'e2e-test.kubernetes.io=dra' });
      await cluster.settled();
      await expect(client.get('test')).rejects.toMatchObject({ status: { code: 404 } });
    }
  });

  test.each(['strategic', 'merge', 'json', 'apply'] as const)(
    '[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 ResourceClaim: its status, by update and %s',
    async (type) => {
      const claims = cluster.client.resource(refs.resourceClaims, 'default');
      const status = { allocation: {} };
      const make = () =>
        claims.create({ metadata: { name: 'test', namespace: 'default' }, spec: { devices: { requests } } });
      const updated = await claims.updateStatus({ ...(await make()), status });
      expect(updated.status?.allocation).toBeDefined();
      await cluster.settled();
      expect((await claims.getSubresource<typeof updated>('test', 'status')).status?.allocation).toBeDefined();
      // An unused claim is deleted at once, allocated or not.
      await claims.delete('test');
      await expect(claims.get('test')).rejects.toMatchObject({ status: { code: 404 } });
      const { uid = '' } = (await make()).metadata;
      const metadata = { name: 'test', namespace: 'default', uid };
      const spec = { devices: { requests } };
      const whole = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata, spec, status };
      const subresource = 'status';
      const patched =
        type === 'apply'
          ? await claims.apply(whole, { fieldManager: 'test-apply', force: true, subresource })
          : await claims.patch(
              'test',
              type === 'json' ? [{ op: 'add', path: '/status/allocation', value: {} }] : whole,
              {
                type,
                subresource,
              },
            );
      expect(patched).toMatchObject({ metadata: { uid }, status });
      await claims.deleteCollection({});
      await cluster.settled();
      expect((await claims.list()).items).toEqual([]);
    },
  );

  test('[sig-node] Lease lease API should be available: times of the first minute of the year 1', async () => {
    const leases = cluster.client.resource(refs.leases, 'default');
    const specOf = (second: number) => ({
      holderIdentity: 'holder',
      leaseDurationSeconds: 30,
      acquireTime: `0001-01-01T00:00:0${second}.000000Z`,
      renewTime: `0001-01-01T00:01:1${second}.000000Z`,
      leaseTransitions: second,
    });
    const made = await leases.create({ metadata: { name: 'lease', namespace: 'default' }, spec: specOf(0) });
    expect(made.spec).toEqual(specOf(0));
    expect((await leases.update({ ...made, spec: specOf(1) })).spec).toEqual(specOf(1));
    expect((await leases.patch('lease', { spec: specOf(2) }, { type: 'strategic' })).spec).toEqual(specOf(2));
    expect((await leases.get('lease')).spec).toEqual(specOf(2));
  });
});
