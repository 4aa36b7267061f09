import { CgroupDriver, CriError, type RuntimeConfigResponse } from '@coracle/cri';
import { describe, expect, it } from 'vitest';
import { cgroupDriverOf } from './cgroup-driver.js';

const runc = (options: object | null) => ({ runtimeType: 'io.containerd.runc.v2', options });
const containerd = (options: object | null, defaultRuntimeName = 'runc') =>
  JSON.stringify({ containerd: { snapshotter: 'overlayfs', defaultRuntimeName, runtimes: { runc: runc(options) } } });

describe('the cgroup driver of a runtime', () => {
  it.each([
    { of: CgroupDriver.CGROUPFS, is: 'cgroupfs' },
    { of: CgroupDriver.SYSTEMD, is: 'systemd' },
  ])('is the runtime’s response: $is', async ({ of: cgroupDriver, is }) => {
    const runtimeConfig = () => Promise.resolve<RuntimeConfigResponse>({ linux: { cgroupDriver } });
    expect(await cgroupDriverOf({ runtimeConfig, status: () => Promise.reject(new Error('not called')) })).toBe(is);
  });

  it.each([
    { name: 'containerd 1.7 with SystemdCgroup', config: containerd({ SystemdCgroup: true }), is: 'systemd' },
    { name: 'containerd 1.7 without it', config: containerd({ SystemdCgroup: false }), is: undefined },
    { name: 'containerd without options', config: containerd(null), is: undefined },
    { name: 'another default runtime', config: containerd({ SystemdCgroup: true }, 'runsc'), is: undefined },
    { name: 'no JSON', config: '[crio]', is: undefined },
    { name: 'nothing', config: undefined, is: undefined },
  ])('is read from the configuration of runtimes that have no call for it: $name', async ({ config, is }) => {
    const status = () => Promise.resolve({ info: config === undefined ? {} : { config } });
    const runtimeConfig = () => Promise.reject(new CriError('Unimplemented', 'unknown method RuntimeConfig'));
    expect(await cgroupDriverOf({ runtimeConfig, status })).toBe(is);
  });

  it('is unknown when the runtime does not respond', async () => {
    const runtimeConfig = () => Promise.reject(new CriError('Unavailable', 'connection refused'));
    await expect(cgroupDriverOf({ runtimeConfig, status: () => Promise.resolve({}) })).rejects.toThrow('refused');
  });
});
