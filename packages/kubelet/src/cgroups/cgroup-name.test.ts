import { describe, expect, test } from 'vitest';
import { cgroupParent, cgroupPath, podUidIn } from './cgroup-name.js';

const uid = '0c1b9a52-3d4e';

describe('cgroups as systemd names them', () => {
  test.each([
    ['/kubepods', '/kubepods.slice', 'kubepods.slice'],
    ['/kubepods/burstable', '/kubepods.slice/kubepods-burstable.slice', 'kubepods-burstable.slice'],
    [
      `/kubepods/besteffort/pod${uid}`,
      '/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod0c1b9a52_3d4e.slice',
      'kubepods-besteffort-pod0c1b9a52_3d4e.slice',
    ],
    ['/my-root/kubepods', '/my_root.slice/my_root-kubepods.slice', 'my_root-kubepods.slice'],
  ])('%s', (name, path, parent) => {
    expect([cgroupPath('systemd', name), cgroupParent('systemd', name)]).toEqual([path, parent]);
    expect([cgroupPath('cgroupfs', name), cgroupParent('cgroupfs', name)]).toEqual([name, name]);
  });

  test.each([
    ['systemd', '/kubepods/burstable', 'kubepods-burstable-pod0c1b9a52_3d4e.slice', uid],
    ['systemd', '/kubepods', 'kubepods-burstable.slice', undefined],
    ['cgroupfs', '/kubepods/burstable', `pod${uid}`, uid],
    ['cgroupfs', '/kubepods', 'burstable', undefined],
  ] as const)('%s: the pod of %s/%s', (driver, parent, child, is) => {
    expect(podUidIn(driver, parent, child)).toBe(is);
  });
});
