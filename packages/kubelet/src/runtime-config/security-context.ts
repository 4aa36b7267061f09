import type { Container, Pod } from '@coracle/api';
import {
  type Capability,
  type LinuxContainerSecurityContext,
  ProfileType,
  type SecurityProfile,
  SupplementalGroupsPolicy,
} from '@coracle/cri';
import { ConfigError } from '../config-error.js';
import { type NamespaceParts, namespacesOf } from './namespaces.js';

/** User of an image: a number, or a name that only the image resolves. */
export interface ImageUser {
  readonly uid?: number;
  readonly username?: string;
}

export interface SecurityInput extends NamespaceParts {
  readonly container: Container;
  /** Absent where images do not define one. */
  readonly imageUser?: ImageUser;
  readonly seccompFolder: string;
  readonly seccompDefault: boolean;
}

/**
 * The security context of a container for the runtime. Throws a `ConfigError` if it must not run as root and would.
 */
export function containerSecurity(pod: Pod, input: SecurityInput): LinuxContainerSecurityContext {
  const { container } = input;
  const own = container.securityContext ?? {};
  const shared = pod.spec?.securityContext ?? {};
  checkNonRoot(pod, input);
  const user = userOf(pod, input);
  const group = own.runAsGroup ?? shared.runAsGroup;
  const groups = groupsOf(pod);
  const policy = supplementalGroupsPolicy(pod);
  const selinuxOptions = own.seLinuxOptions ?? shared.seLinuxOptions;
  const apparmor = appArmorProfile(pod, container);
  return {
    namespaceOptions: namespacesOf(pod, input),
    privileged: own.privileged ?? false,
    readonlyRootfs: own.readOnlyRootFilesystem ?? false,
    noNewPrivs: own.allowPrivilegeEscalation === false,
    ...(own.capabilities && { capabilities: capabilitiesOf(own.capabilities) }),
    ...user,
    ...(group !== undefined && { runAsGroup: { value: group } }),
    ...(groups.length > 0 && { supplementalGroups: groups }),
    ...(policy !== undefined && { supplementalGroupsPolicy: policy }),
    ...(selinuxOptions && { selinuxOptions }),
    seccomp: seccompProfile(pod, input),
    ...(apparmor && { apparmor }),
    ...hiddenPaths(own.procMount, own.privileged),
  };
}

/** The groups that all containers of a pod are in. */
export function groupsOf({ spec }: Pod): number[] {
  const { supplementalGroups = [], fsGroup } = spec?.securityContext ?? {};
  return [...new Set([...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])])];
}

const groupPolicies: Readonly<Record<string, SupplementalGroupsPolicy>> = SupplementalGroupsPolicy;

export function supplementalGroupsPolicy({ spec }: Pod): SupplementalGroupsPolicy | undefined {
  return groupPolicies[spec?.securityContext?.supplementalGroupsPolicy ?? ''];
}

function userOf(
  { spec }: Pod,
  { container, imageUser }: SecurityInput,
): Pick<LinuxContainerSecurityContext, 'runAsUser' | 'runAsUsername'> {
  const stated = container.securityContext?.runAsUser ?? spec?.securityContext?.runAsUser ?? imageUser?.uid;
  if (stated !== undefined) return { runAsUser: { value: stated } };
  return imageUser?.username ? { runAsUsername: imageUser.username } : {};
}

function checkNonRoot(pod: Pod, { container, imageUser }: SecurityInput): void {
  const { metadata, spec } = pod;
  const own = container.securityContext ?? {};
  if (!(own.runAsNonRoot ?? spec?.securityContext?.runAsNonRoot)) return;
  const where = `(pod: "${metadata.name}_${metadata.namespace}(${metadata.uid})", container: ${container.name})`;
  const user = own.runAsUser ?? spec?.securityContext?.runAsUser;
  if (user === 0) throw new ConfigError(`container's runAsUser breaks non-root policy ${where}`);
  if (user !== undefined || !imageUser) return;
  if (imageUser.uid === undefined && imageUser.username)
    throw new ConfigError(
      `container has runAsNonRoot and image has non-numeric user (${imageUser.username}), cannot verify user is non-root ${where}`,
    );
  if (!imageUser.uid) throw new ConfigError(`container has runAsNonRoot and image will run as root ${where}`);
}

function capabilitiesOf({
  add = [],
  drop = [],
}: {
  readonly add?: readonly string[];
  readonly drop?: readonly string[];
}): Capability {
  const plain = (name: string) => name.toUpperCase().replace(/^CAP_/, '');
  return { addCapabilities: add.map(plain), dropCapabilities: drop.map(plain) };
}

interface StatedProfile {
  readonly type: string;
  readonly localhostProfile?: string;
}

/** The container's profile, otherwise the pod's, otherwise the kubelet's default. */
function seccompProfile({ spec }: Pod, { container, seccompFolder, seccompDefault }: SecurityInput): SecurityProfile {
  const stated: StatedProfile | undefined =
    container.securityContext?.seccompProfile ?? spec?.securityContext?.seccompProfile;
  if (!stated) return { profileType: seccompDefault ? ProfileType.RuntimeDefault : ProfileType.Unconfined };
  if (stated.type !== 'Localhost') return namedProfile(stated.type);
  if (!stated.localhostProfile)
    throw new ConfigError('localhostProfile must be set if seccompProfile type is Localhost.');
  return { profileType: ProfileType.Localhost, localhostRef: `${seccompFolder}/${stated.localhostProfile}` };
}

function namedProfile(type: string): SecurityProfile {
  return { profileType: type === 'RuntimeDefault' ? ProfileType.RuntimeDefault : ProfileType.Unconfined };
}

const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';

function appArmorProfile({ metadata, spec }: Pod, container: Container): SecurityProfile | undefined {
  const stated: StatedProfile | undefined =
    container.securityContext?.appArmorProfile ?? spec?.securityContext?.appArmorProfile;
  const profile = stated ?? annotatedProfile(metadata.annotations?.[appArmorAnnotation + container.name]);
  if (!profile) return undefined;
  if (profile.type !== 'Localhost') return namedProfile(profile.type);
  return { profileType: ProfileType.Localhost, localhostRef: profile.localhostProfile ?? '' };
}

/** Annotations preceded the field. */
function annotatedProfile(text: string | undefined): StatedProfile | undefined {
  if (text === 'runtime/default') return { type: 'RuntimeDefault' };
  if (text === 'unconfined') return { type: 'Unconfined' };
  if (text?.startsWith('localhost/')) return { type: 'Localhost', localhostProfile: text.slice('localhost/'.length) };
  return undefined;
}

const maskedPaths = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const readonlyPaths = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

function hiddenPaths(procMount = 'Default', privileged = false) {
  return procMount === 'Unmasked' || privileged ? {} : { maskedPaths, readonlyPaths };
}
