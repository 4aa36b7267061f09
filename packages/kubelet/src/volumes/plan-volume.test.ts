import type { Pod, Volume } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { allocatable, fakeReferences, makePod, place } from '../builders.fixture.js';
import { planVolume } from './plan-volume.js';

const root = '/var/lib/kubelet';
const base = `${root}/pods/uid-1/volumes`;

function planOf(
  volume: Volume,
  { pod = makePod(), ...objects }: Parameters<typeof fakeReferences>[0] & { pod?: Pod } = {},
) {
  const references = fakeReferences(objects);
  return planVolume({ ...place, root, allocatable, references, pod, requestToken: async () => 'token' }, volume);
}

const limited = (limits: Record<string, string>) =>
  makePod({ containers: [{ name: 'web', image: 'i', resources: { limits } }] });

describe('plans of volumes', () => {
  test.each<[string, Volume, object]>([
    [
      'emptyDir',
      { name: 'v', emptyDir: {} },
      { kind: 'empty-directory', medium: 'disk', directory: `${base}/kubernetes.io~empty-dir/v` },
    ],
    [
      'hostPath',
      { name: 'v', hostPath: { path: '/d', type: 'Directory' } },
      { kind: 'host-path', path: '/d', type: 'Directory' },
    ],
    [
      'nfs',
      { name: 'v', nfs: { server: 'fd00::1', path: '/x' } },
      { kind: 'remote', source: '[fd00::1]:/x', fsType: 'nfs', directory: `${base}/kubernetes.io~nfs/v` },
    ],
    ['image', { name: 'v', image: { reference: 'busybox' } }, { kind: 'runtime' }],
    [
      'iscsi',
      { name: 'v', iscsi: { iqn: '', lun: 0, targetPortal: '' } },
      { kind: 'unsupported', plugin: 'kubernetes.io/iscsi' },
    ],
  ])('%s', async (_, volume, plan) => {
    expect(await planOf(volume)).toMatchObject(plan);
  });

  test.each<[string, string | undefined, Record<string, string>, number]>([
    ['what the volume says', '1Mi', { memory: '1Gi' }, 2 ** 20],
    ['what the pod may use', undefined, { memory: '1Gi' }, 2 ** 30],
    ['what the pod may use, if that is less', '2Gi', { memory: '1Gi' }, 2 ** 30],
    ['what the node has for pods', undefined, {}, 16 * 2 ** 30],
  ])('memory is limited to %s', async (_, sizeLimit, limits, sizeBytes) => {
    const volume = { name: 'v', emptyDir: { medium: 'Memory', ...(sizeLimit && { sizeLimit }) } };
    expect(await planOf(volume, { pod: limited(limits) })).toMatchObject({ medium: 'memory', sizeBytes });
  });

  test('hugepages have the size that the medium or the pod names', async () => {
    const pod = limited({ 'hugepages-2Mi': '4Mi' });
    const plan = { medium: 'hugepages', pageSize: '2Mi', sizeBytes: 4 * 2 ** 20 };
    expect(await planOf({ name: 'v', emptyDir: { medium: 'HugePages' } }, { pod })).toMatchObject(plan);
    expect(await planOf({ name: 'v', emptyDir: { medium: 'HugePages-2Mi' } }, { pod })).toMatchObject(plan);
  });

  test('secrets are in memory, config maps on disk, both with the group of the pod', async () => {
    const pod = makePod({ securityContext: { fsGroup: 2000, fsGroupChangePolicy: 'OnRootMismatch' } });
    const ownership = { fsGroup: 2000, changePolicy: 'OnRootMismatch' };
    const objects = { pod, configMaps: { a: { k: 'v' } }, secrets: { a: { k: 'v' } } };
    expect(await planOf({ name: 'v', configMap: { name: 'a' } }, objects)).toMatchObject({ medium: 'disk', ownership });
    expect(await planOf({ name: 'v', secret: { secretName: 'a' } }, objects)).toMatchObject({
      medium: 'memory',
      ownership,
    });
  });

  test.each<[string, object, { mode: number; owner?: number }]>([
    ['every user', {}, { mode: 0o644 }],
    ['the user of all containers', { runAsUser: 1000 }, { mode: 0o600, owner: 1000 }],
    ['the group of the pod', { fsGroup: 2000 }, { mode: 0o600 }],
  ])('tokens can be read by %s', async (_, securityContext, access) => {
    const projected = { sources: [{ serviceAccountToken: { path: 'token' } }] };
    const plan = await planOf({ name: 'v', projected }, { pod: makePod({ securityContext }) });
    const { content: _content, ...found } = (plan.kind === 'files' && plan.files.get('token')) || {};
    expect(found).toEqual(access);
  });

  test('trust bundles hold each certificate of a signer once', async () => {
    const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
    const bundle = (name: string, text: string, live: string) => ({
      metadata: { name, labels: { live } },
      spec: { signerName: 'example.com/ca', trustBundle: text },
    });
    const trustBundles = [
      bundle('a', pem('one') + pem('two'), 'yes'),
      bundle('b', pem('one'), 'yes'),
      bundle('c', pem('three'), 'no'),
    ];
    const projection = {
      path: 'ca.pem',
      signerName: 'example.com/ca',
      labelSelector: { matchLabels: { live: 'yes' } },
    };
    const plan = await planOf(
      { name: 'v', projected: { sources: [{ clusterTrustBundle: projection }] } },
      { trustBundles },
    );
    const file = plan.kind === 'files' ? plan.files.get('ca.pem') : undefined;
    expect(new TextDecoder().decode(await file?.content())).toBe(pem('one') + pem('two'));
    const missing = { sources: [{ clusterTrustBundle: { path: 'x', name: 'none' } }] };
    await expect(planOf({ name: 'v', projected: missing }, { trustBundles })).rejects.toThrow(
      'clustertrustbundle "none" not found',
    );
  });
});

describe('plans of claims', () => {
  const claim: Volume = { name: 'v', persistentVolumeClaim: { claimName: 'c' } };

  test('local volumes are bind-mounted, or passed as devices', async () => {
    const spec = { local: { path: '/mnt/x' } };
    expect(await planOf(claim, { volumes: { c: { metadata: { name: 'pv' }, spec } } })).toMatchObject({
      kind: 'bind',
      source: '/mnt/x',
      directory: `${base}/kubernetes.io~local-volume/pv`,
    });
    const block = { metadata: { name: 'pv' }, spec: { ...spec, volumeMode: 'Block' } };
    expect(await planOf(claim, { volumes: { c: block } })).toEqual({ kind: 'block-device', path: '/mnt/x' });
  });

  test('an ephemeral volume has the name of the pod and its own', async () => {
    const volumes = { 'web-v': { metadata: { name: 'pv' }, spec: { hostPath: { path: '/h' } } } };
    expect(await planOf({ name: 'v', ephemeral: {} }, { volumes })).toMatchObject({ kind: 'host-path', path: '/h' });
  });

  test('CSI volumes are staged once, and receive the pod info that their driver requests', async () => {
    const csi = { driver: 'd.example.com', volumeHandle: 'h', fsType: 'ext4', volumeAttributes: { a: 'b' } };
    const plan = await planOf(claim, {
      pod: makePod({ securityContext: { fsGroup: 7 } }),
      volumes: {
        c: { metadata: { name: 'pv' }, spec: { csi, accessModes: ['ReadWriteOnce'], mountOptions: ['noatime'] } },
      },
      csiDrivers: {
        'd.example.com': { metadata: {}, spec: { podInfoOnMount: true, tokenRequests: [{ audience: 'x' }] } },
      },
    });
    expect(plan).toMatchObject({
      kind: 'csi',
      target: `${base}/kubernetes.io~csi/pv/mount`,
      mountOptions: ['noatime'],
      ownership: { fsGroup: 7 },
      volumeContext: {
        a: 'b',
        'csi.storage.k8s.io/pod.name': 'web',
        'csi.storage.k8s.io/ephemeral': 'false',
        'csi.storage.k8s.io/serviceAccount.tokens': '{"x":{"token":"token"}}',
      },
    });
    expect(plan.kind === 'csi' && plan.stagingDirectory).toMatch(
      /plugins\/kubernetes\.io\/csi\/d\.example\.com\/[0-9a-f]{64}\/globalmount$/,
    );
  });

  test('an inline CSI volume needs a driver that can make one', async () => {
    const volume = { name: 'v', csi: { driver: 'd' } };
    await expect(planOf(volume)).rejects.toThrow('volume mode "Ephemeral" not supported by driver d');
    const csiDrivers = { d: { metadata: {}, spec: { volumeLifecycleModes: ['Ephemeral'] } } };
    const plan = await planOf(volume, { csiDrivers });
    expect(plan).toMatchObject({ kind: 'csi', target: `${base}/kubernetes.io~csi/v/mount` });
    expect(plan).not.toHaveProperty('stagingDirectory');
  });
});
