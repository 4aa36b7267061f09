import type { Volume } from '@coracle/api';
import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { allocatable, fakeReferences, makePod, place } from '../builders.fixture.js';
import { fakeVolumeHost } from './fake-volume-host.fixture.js';
import { PodVolumes } from './pod-volumes.js';
import type { VolumeHost } from './volume-host.js';

/** Volumes of a pod that mounts all of these. */
function volumesOf(volumes: readonly Volume[], objects: Parameters<typeof fakeReferences>[0] = {}) {
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
  const container = { name: 'web', volumeMounts };
  const pod = makePod({ volumes: [...volumes], containers: [container] });
  const host = fakeVolumeHost({ pods: ['uid-1', 'uid-2'] });
  const events: string[] = [];
  const input = { ...place, allocatable, references: fakeReferences(objects), requestToken: async () => 'token' };
  const subjectOn = (on: VolumeHost) =>
    new PodVolumes({
      clock: new VirtualClock(),
      recorder: { event: (_about, _type, reason, message) => void events.push(`${reason}: ${message}`) },
      host: on,
      inputFor: (of) => ({ ...input, root: on.root, pod: of }),
    });
  return { subject: subjectOn(host), subjectOn, pod, host, events, container };
}

const disk = (driver: string, volumeHandle: string) => ({
  metadata: { name: volumeHandle },
  spec: { csi: { driver, volumeHandle } },
});

describe('PodVolumes', () => {
  test('K17.11 a pod whose directories cannot be created gets an event', async () => {
    const { pod, host, events, subjectOn } = volumesOf([]);
    const made: string[] = [];
    const good = subjectOn({ ...host, makePodDirectories: async (directory) => void made.push(directory) });
    expect([await good.makeDirectories(pod), made, events]).toEqual([true, ['/var/lib/kubelet/pods/uid-1'], []]);
    const full = subjectOn({ ...host, makePodDirectories: () => Promise.reject(new Error('the disk is full')) });
    expect(await full.makeDirectories(pod)).toBe(false);
    expect(events).toEqual(['Failed: error making pod data directories: the disk is full']);
  });

  test('K33.5 names the attachable volumes in use for as long as the pod is there', async () => {
    const claimed = (name: string): Volume => ({ name, persistentVolumeClaim: { claimName: name } });
    const local = { metadata: { name: 'pv' }, spec: { hostPath: { path: '/data' } } };
    const { subject, pod, events } = volumesOf([claimed('b'), claimed('a'), claimed('local'), claimed('unbound')], {
      volumes: { a: disk('disks.example.com', 'vol-1'), b: disk('disks.example.com', 'vol-2'), local },
    });
    expect(subject.inUse).toEqual([]);
    expect(await subject.mount(pod)).toEqual({ mounted: false, retryMs: 500 });
    expect(events).toEqual([
      'FailedMount: MountVolume.SetUp failed for volume "unbound" : error processing PVC shop/unbound: PVC is not bound',
    ]);
    expect(subject.inUse).toEqual([
      'kubernetes.io/csi/disks.example.com^vol-1',
      'kubernetes.io/csi/disks.example.com^vol-2',
    ]);
    await subject.release(pod);
    expect(subject.inUse).toEqual([]);
  });

  test('nothing is set up again for a pod that has ended', async () => {
    const { pod, host, subjectOn } = volumesOf([{ name: 'v', configMap: { name: 'v', optional: true } }]);
    const released: string[] = [];
    const subject = subjectOn({ ...host, tearDownVolumes: async (directory) => void released.push(directory) });
    await subject.mount(pod);
    await subject.release(pod);
    await subject.refresh(pod);
    expect([released, host.plans.length, host.tornDown]).toEqual([['/var/lib/kubelet/pods/uid-1'], 1, []]);
  });

  test('K13.6 sets up nothing again for a pod that is being terminated', async () => {
    const { subject, pod, host } = volumesOf([{ name: 'config', configMap: { name: 'settings' } }], {
      configMaps: { settings: {} },
    });
    await subject.mount(pod);
    const order: string[] = [];
    host.setUp = async () => {
      order.push('writes');
      await Promise.resolve();
      order.push('has written');
    };
    host.tearDown = async () => void order.push('takes down');
    await Promise.all([subject.refresh(pod), subject.refresh(pod), subject.forget(pod), subject.refresh(pod)]);
    expect(order).toEqual(['writes', 'has written', 'writes', 'has written', 'takes down']);
  });

  test('K13.6 writes again only files of other objects', async () => {
    const settings: Record<string, string> = { colour: 'red' };
    const { subject, pod, host } = volumesOf(
      [
        { name: 'config', configMap: { name: 'settings' } },
        { name: 'scratch', emptyDir: {} },
      ],
      { configMaps: { settings } },
    );
    await subject.mount(pod);
    settings['colour'] = 'blue';
    host.plans.length = 0;
    await subject.refresh(pod);
    const [plan, ...others] = host.plans;
    expect(others).toEqual([]);
    if (plan?.kind !== 'files') throw new Error('no files were written');
    expect(plan.directory).toMatch(/kubernetes\.io~configmap\/config$/);
    expect(new TextDecoder().decode(await plan.files.get('colour')?.content())).toBe('blue');
  });

  test('containers mount a claim where its persistent volume is', async () => {
    const { subject, pod, container } = volumesOf(
      [
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'tools', image: { reference: 'busybox' } },
      ],
      { volumes: { data: { metadata: { name: 'pv-1' }, spec: { local: { path: '/mnt/disk' } } } } },
    );
    await subject.mount(pod);
    const input = { pod, container, attempt: 0, variables: new Map(), podIps: [] };
    const { mounts } = await subject.filesystemOf(input);
    expect(mounts).toMatchObject([
      { hostPath: '/var/lib/kubelet/pods/uid-1/volumes/kubernetes.io~local-volume/pv-1', containerPath: '/data' },
      { image: { image: 'busybox' }, containerPath: '/tools' },
    ]);
  });

  test('takes down the directories of pods that do not exist any more', async () => {
    const { subject, host } = volumesOf([]);
    await subject.removeOrphans((uid) => uid === 'uid-1');
    expect(host.tornDown).toEqual(['/var/lib/kubelet/pods/uid-2']);
  });
});
