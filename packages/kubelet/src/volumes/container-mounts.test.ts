import type { Volume, VolumeMount } from '@coracle/api';
import { MountPropagation } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { planContainerDevices, planContainerMounts } from './container-mounts.js';
import { mountedVolumes } from './volume-directory.js';

const volumes: Volume[] = [
  { name: 'config', configMap: { name: 'settings' } },
  { name: 'host', hostPath: { path: '/data' } },
];

function planOf(mount: VolumeMount) {
  const container = { name: 'web', image: 'i', volumeMounts: [mount] };
  return planContainerMounts(makePod({ volumes }), container, new Map([['ID', '7']]))[0];
}

describe('mounts of a container', () => {
  test.each<[string, VolumeMount, string]>([
    ['a whole volume', { name: 'host', mountPath: '/data' }, ''],
    ['a part of a volume', { name: 'host', mountPath: '/data', subPath: 'a/b' }, 'a/b'],
    ['a part by its variables', { name: 'host', mountPath: '/data', subPathExpr: 'log-$(ID)' }, 'log-7'],
  ])('%s', (_, mount, subPath) => {
    expect(planOf(mount)).toMatchObject({ subPath, mount: { containerPath: mount.mountPath } });
  });

  test('are read-only and propagate other mounts if the mount requests it', () => {
    const mount = {
      name: 'host',
      mountPath: 'd',
      readOnly: true,
      recursiveReadOnly: 'Enabled',
      mountPropagation: 'HostToContainer',
    };
    expect(planOf(mount)?.mount).toEqual({
      containerPath: '/d',
      readonly: true,
      recursiveReadOnly: true,
      propagation: MountPropagation.PROPAGATION_HOST_TO_CONTAINER,
    });
  });

  test.each([
    ['missing value for "NO"', '$(NO)'],
    ['must not be an absolute path', '/$(ID)'],
    ["must not contain '..'", '../$(ID)'],
  ])('are refused: %s', (message, subPathExpr) => {
    expect(() => planOf({ name: 'host', mountPath: '/d', subPathExpr })).toThrow(message);
  });

  test('need their volume', () => {
    expect(() => planOf({ name: 'none', mountPath: '/d' })).toThrow(
      'cannot find volume "none" to mount into container "web"',
    );
  });

  test('block devices keep the devicePath of the container', () => {
    const container = { name: 'web', volumeDevices: [{ name: 'host', devicePath: '/dev/xvda' }] };
    expect(planContainerDevices(makePod({ volumes }), container)).toMatchObject([
      { volume: { name: 'host' }, device: { containerPath: '/dev/xvda', permissions: 'mrw' } },
    ]);
  });

  test('volumes that no container mounts are ignored', () => {
    const container = { name: 'web', image: 'i', volumeMounts: [{ name: 'host', mountPath: '/d' }] };
    const init = { name: 'init', image: 'i', volumeMounts: [{ name: 'config', mountPath: '/c' }] };
    const pod = makePod({
      volumes: [...volumes, { name: 'unused', emptyDir: {} }],
      containers: [container],
      initContainers: [init],
    });
    expect(mountedVolumes(pod).map(({ name }) => name)).toEqual(['config', 'host']);
  });
});
