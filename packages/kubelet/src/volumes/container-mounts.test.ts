import type { Volume, VolumeMount } from '@coracle/api';
import { MountPropagation } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { containerMounts } from './container-mounts.js';
import { mountedVolumes } from './volume-directory.js';

const directory = '/var/lib/kubelet/pods/uid-1/volumes';
const volumes: Volume[] = [
  { name: 'config', configMap: { name: 'settings' } },
  { name: 'scratch', emptyDir: {} },
  { name: 'host', hostPath: { path: '/data' } },
  { name: 'tools', image: { reference: 'busybox' } },
];

function mountOf(mount: VolumeMount) {
  const container = { name: 'web', image: 'i', volumeMounts: [mount] };
  return containerMounts(makePod({ volumes }), container, new Map([['ID', '7']]))[0];
}

describe('what a container sees of volumes', () => {
  test.each<[string, VolumeMount, string]>([
    ['a config map', { name: 'config', mountPath: '/etc/app' }, `${directory}/kubernetes.io~configmap/config`],
    ['an empty directory', { name: 'scratch', mountPath: '/tmp' }, `${directory}/kubernetes.io~empty-dir/scratch`],
    ['a path of the host', { name: 'host', mountPath: '/data' }, '/data'],
    ['a part of a volume', { name: 'host', mountPath: '/data', subPath: 'a/b' }, '/data/a/b'],
    ['a part by its variables', { name: 'host', mountPath: '/data', subPathExpr: 'log-$(ID)' }, '/data/log-7'],
  ])('%s is there', (_, mount, hostPath) => {
    expect(mountOf(mount)).toMatchObject({ hostPath, containerPath: mount.mountPath });
  });

  test('an image is mounted by the runtime', () => {
    expect(mountOf({ name: 'tools', mountPath: 'tools' })).toMatchObject({
      image: { image: 'busybox' },
      containerPath: '/tools',
    });
  });

  test('mounts may be read-only and may pass on others', () => {
    const mount = {
      name: 'host',
      mountPath: '/d',
      readOnly: true,
      recursiveReadOnly: 'Enabled',
      mountPropagation: 'HostToContainer',
    };
    expect(mountOf(mount)).toMatchObject({
      readonly: true,
      recursiveReadOnly: true,
      propagation: MountPropagation.PROPAGATION_HOST_TO_CONTAINER,
    });
  });

  test('a part whose variables there are not cannot be mounted', () => {
    expect(() => mountOf({ name: 'host', mountPath: '/d', subPathExpr: '$(NO)' })).toThrow('missing value for "NO"');
  });

  test('volumes that no container mounts are left alone', () => {
    const container = { name: 'web', image: 'i', volumeMounts: [{ name: 'host', mountPath: '/d' }] };
    const init = { name: 'init', image: 'i', volumeMounts: [{ name: 'config', mountPath: '/c' }] };
    const pod = makePod({ volumes, containers: [container], initContainers: [init] });
    expect(mountedVolumes(pod).map(({ name }) => name)).toEqual(['config', 'host']);
  });
});
