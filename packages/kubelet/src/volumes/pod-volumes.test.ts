import type { Volume } from '@coracle/api';
import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { allocatable, fakeReferences, makePod, place } from '../builders.fixture.js';
import { PodVolumes } from './pod-volumes.js';
import type { VolumeFiles } from './volume-files.js';

/** Volumes of a pod that mounts all of these. */
function volumesOf(volumes: readonly Volume[], objects: Parameters<typeof fakeReferences>[0] = {}) {
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
  const pod = makePod({ volumes: [...volumes], containers: [{ name: 'web', volumeMounts }] });
  const written = new Map<string, VolumeFiles>();
  const input = { ...place, allocatable, references: fakeReferences(objects), requestToken: async () => 'token' };
  const subject = new PodVolumes({
    clock: new VirtualClock(),
    recorder: { event: () => {} },
    disk: { write: async (directory, files) => void written.set(directory, files), remove: async () => {} },
    inputFor: (of) => ({ ...input, pod: of }),
  });
  return { subject, pod, written };
}

const disk = (driver: string, volumeHandle: string) => ({
  metadata: { name: volumeHandle },
  spec: { csi: { driver, volumeHandle } },
});

describe('PodVolumes', () => {
  test('K33.5 knows which volumes of others are in use, for as long as the pod is there', async () => {
    const claimed = (name: string): Volume => ({ name, persistentVolumeClaim: { claimName: name } });
    const local = { metadata: { name: 'pv' }, spec: { hostPath: { path: '/data' } } };
    const { subject, pod } = volumesOf([claimed('b'), claimed('a'), claimed('local'), claimed('unbound')], {
      volumes: { a: disk('disks.example.com', 'vol-1'), b: disk('disks.example.com', 'vol-2'), local },
    });
    expect(subject.inUse).toEqual([]);
    await subject.mount(pod);
    expect(subject.inUse).toEqual([
      'kubernetes.io/csi/disks.example.com^vol-1',
      'kubernetes.io/csi/disks.example.com^vol-2',
    ]);
    await subject.forget(pod);
    expect(subject.inUse).toEqual([]);
  });

  test('K13.6 writes anew what other objects may have changed, and nothing else', async () => {
    const settings: Record<string, string> = { colour: 'red' };
    const { subject, pod, written } = volumesOf(
      [
        { name: 'config', configMap: { name: 'settings' } },
        { name: 'scratch', emptyDir: {} },
      ],
      { configMaps: { settings } },
    );
    await subject.mount(pod);
    settings['colour'] = 'blue';
    written.clear();
    await subject.refresh(pod);
    const [[directory, files] = ['', new Map()]] = [...written];
    expect(directory).toMatch(/kubernetes\.io~configmap\/config$/);
    expect(new TextDecoder().decode(await files.get('colour')?.content())).toBe('blue');
    expect(written.size).toBe(1);
  });
});
