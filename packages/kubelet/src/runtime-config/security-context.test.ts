import type { Container } from '@coracle/api';
import { NamespaceMode, ProfileType } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { containerSecurity, type ImageUser } from './security-context.js';

const settings = { seccompFolder: '/var/lib/kubelet/seccomp', seccompDefault: false };

function securityOf(
  own: Container['securityContext'],
  shared: NonNullable<ReturnType<typeof makePod>['spec']>['securityContext'] = {},
  imageUser: ImageUser = { uid: 0 },
) {
  const container: Container = { name: 'c', ...(own && { securityContext: own }) };
  return containerSecurity(makePod({ securityContext: shared }), { container, imageUser, ...settings });
}

describe('the user of a container', () => {
  test.each([
    { name: 'the image says', own: {}, pod: {}, image: { uid: 7 }, user: { value: 7 } },
    { name: 'the pod says', own: {}, pod: { runAsUser: 5 }, image: { uid: 7 }, user: { value: 5 } },
    { name: 'the container says', own: { runAsUser: 0 }, pod: { runAsUser: 5 }, image: { uid: 7 }, user: { value: 0 } },
  ])('$name', ({ own, pod, image, user }) => {
    expect(securityOf(own, pod, image).runAsUser).toEqual(user);
  });

  test('a user name that only the image has', () => {
    expect(securityOf({}, {}, { username: 'web' })).toMatchObject({ runAsUsername: 'web' });
  });

  test('groups of the pod, with fsGroup among them, once each', () => {
    const { supplementalGroups } = securityOf({}, { supplementalGroups: [3, 4], fsGroup: 3 });
    expect(supplementalGroups).toEqual([3, 4]);
  });

  test.each([
    { image: { uid: 0 }, own: {}, says: 'container has runAsNonRoot and image will run as root' },
    { image: { username: 'web' }, own: {}, says: 'image has non-numeric user (web), cannot verify user is non-root' },
    { image: { uid: 5 }, own: { runAsUser: 0 }, says: "container's runAsUser breaks non-root policy" },
  ])('runAsNonRoot: $says', ({ image, own, says }) => {
    expect(() => securityOf({ runAsNonRoot: true, ...own }, {}, image)).toThrow(says);
  });

  test('runAsNonRoot is satisfied by a numeric user of the image', () => {
    expect(securityOf({ runAsNonRoot: true }, {}, { uid: 5 }).runAsUser).toEqual({ value: 5 });
  });
});

describe('capabilities and privileges of a container', () => {
  test('default settings, with parts of /proc masked', () => {
    const security = securityOf(undefined);
    expect(security).toMatchObject({ privileged: false, readonlyRootfs: false, noNewPrivs: false });
    expect(security.maskedPaths).toContain('/proc/kcore');
    expect(security.seccomp).toEqual({ profileType: ProfileType.Unconfined });
  });

  test('no new privileges where escalation is forbidden', () => {
    expect(securityOf({ allowPrivilegeEscalation: false }).noNewPrivs).toBe(true);
  });

  test('capabilities by their short names', () => {
    const { capabilities } = securityOf({ capabilities: { add: ['CAP_NET_ADMIN'], drop: ['all'] } });
    expect(capabilities).toEqual({ addCapabilities: ['NET_ADMIN'], dropCapabilities: ['ALL'] });
  });

  test('nothing of /proc is masked for a privileged or unmasked container', () => {
    expect(securityOf({ privileged: true }).maskedPaths).toBeUndefined();
    expect(securityOf({ procMount: 'Unmasked' }).readonlyPaths).toBeUndefined();
  });

  test.each([
    { type: 'RuntimeDefault', expected: { profileType: ProfileType.RuntimeDefault } },
    { type: 'Unconfined', expected: { profileType: ProfileType.Unconfined } },
    {
      type: 'Localhost',
      expected: { profileType: ProfileType.Localhost, localhostRef: '/var/lib/kubelet/seccomp/a.json' },
    },
  ])('seccomp $type', ({ type, expected }) => {
    const localhostProfile = type === 'Localhost' ? { localhostProfile: 'a.json' } : {};
    expect(securityOf({}, { seccompProfile: { type, ...localhostProfile } }).seccomp).toEqual(expected);
  });

  test('an AppArmor profile, from its field or from the older annotation', () => {
    const stated = securityOf({ appArmorProfile: { type: 'Localhost', localhostProfile: 'p' } });
    expect(stated.apparmor).toEqual({ profileType: ProfileType.Localhost, localhostRef: 'p' });
    const pod = makePod();
    pod.metadata.annotations = { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' };
    const annotated = containerSecurity(pod, { container: { name: 'c' }, ...settings });
    expect(annotated.apparmor).toEqual({ profileType: ProfileType.Unconfined });
  });
});

describe('namespaces', () => {
  const security = (spec: Parameters<typeof makePod>[0], targetId?: string) =>
    containerSecurity(makePod(spec), { container: { name: 'c' }, ...settings, ...(targetId && { targetId }) });
  const { NODE, POD, CONTAINER, TARGET } = NamespaceMode;

  test.each([
    { spec: {}, expected: { network: POD, ipc: POD, pid: CONTAINER } },
    { spec: { hostNetwork: true, hostIPC: true, hostPID: true }, expected: { network: NODE, ipc: NODE, pid: NODE } },
    { spec: { shareProcessNamespace: true }, expected: { network: POD, ipc: POD, pid: POD } },
  ])('$spec', ({ spec, expected }) => {
    expect(security(spec).namespaceOptions).toEqual(expected);
  });

  test('an ephemeral container sees the processes of its target', () => {
    expect(security({}, 'id-1').namespaceOptions).toMatchObject({ pid: TARGET, targetId: 'id-1' });
    expect(security({ shareProcessNamespace: true }, 'id-1').namespaceOptions).toMatchObject({ pid: POD });
  });
});
