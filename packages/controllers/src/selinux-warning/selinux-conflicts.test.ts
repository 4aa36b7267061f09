import type { Pod, PodSecurityContext } from '@coracle/api';
import { expect, test } from 'vitest';
import { selinuxConflicts } from './selinux-conflicts.js';

function pod(name: string, securityContext: PodSecurityContext, namespace = 'default'): Pod {
  return { metadata: { name, namespace }, spec: { containers: [{ name: 'app' }], securityContext } };
}

const one = { seLinuxOptions: { level: 's0:c1' } };
const two = { seLinuxOptions: { level: 's0:c2' } };
const recursive = { seLinuxChangePolicy: 'Recursive' };
const consequence = 'If both pods land on the same node, only one of them may access the volume.';

test.each<[string, Pod, string[]]>([
  ['pods with the same label share', pod('b', one), []],
  ['one without a label takes any', pod('b', {}), []],
  [
    'different labels are in conflict',
    pod('b', two),
    [
      `SELinuxLabelConflict: SELinuxLabel ":::s0:c1" conflicts with pod b that uses the same volume as this pod with SELinuxLabel ":::s0:c2". ${consequence}`,
    ],
  ],
  [
    'pods of other namespaces are not named',
    pod('b', two, 'secret'),
    [
      `SELinuxLabelConflict: SELinuxLabel ":::s0:c1" conflicts with another pod that uses the same volume as this pod with a different SELinuxLabel. ${consequence}`,
    ],
  ],
  [
    'so are different policies, whatever the labels',
    pod('b', { ...two, ...recursive }),
    [
      `SELinuxChangePolicyConflict: SELinuxChangePolicy "MountOption" conflicts with pod b that uses the same volume as this pod with SELinuxChangePolicy "Recursive". ${consequence}`,
    ],
  ],
])('%s', (_name, other, expected) => {
  expect(selinuxConflicts(pod('a', one), other).map(({ reason, message }) => `${reason}: ${message}`)).toEqual(
    expected,
  );
});
