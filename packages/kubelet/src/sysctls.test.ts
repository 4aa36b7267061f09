import type { PodSpec } from '@coracle/api';
import { expect, test } from 'vitest';
import { makePod } from './builders.fixture.js';
import { sysctlRefusal } from './sysctls.js';

const cases: { sysctl: string; spec?: Partial<PodSpec>; allowed?: string[]; says?: string }[] = [
  { sysctl: 'kernel.shm_rmid_forced' },
  { sysctl: 'net/ipv4/ip_local_port_range' },
  { sysctl: 'kernel.msgmax', says: 'forbidden sysctl: "kernel.msgmax" not allowlisted' },
  { sysctl: 'kernel.msgmax', allowed: ['kernel.msg*'] },
  { sysctl: 'net.core.somaxconn', allowed: ['net.core.somaxconn'] },
  { sysctl: 'net.core.somaxconn', allowed: ['net.core'], says: 'not allowlisted' },
  { sysctl: 'net.ipv4.tcp_rmem', spec: { hostNetwork: true }, says: 'not allowed with host net enabled' },
  { sysctl: 'kernel.shm_rmid_forced', spec: { hostIPC: true }, says: 'not allowed with host ipc enabled' },
];

test.each(cases)('$sysctl with $allowed and $spec: $says', ({ sysctl, spec, allowed = [], says }) => {
  const pod = makePod({ ...spec, securityContext: { sysctls: [{ name: sysctl, value: '1' }] } });
  const refusal = sysctlRefusal(pod, allowed);
  if (says === undefined) expect(refusal).toBeUndefined();
  else expect(refusal).toEqual({ reason: 'SysctlForbidden', message: expect.stringContaining(says) });
});
