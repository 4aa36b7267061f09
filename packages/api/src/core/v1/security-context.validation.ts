import {
  byteLength,
  duplicateField,
  type FieldError,
  type FieldPath,
  invalidField,
  notSupportedField,
  requiredField,
  scoped,
  tooLongField,
} from '@coracle/apimachinery';
import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  Sysctl,
} from '../../generated/types/core-v1.js';
import { checkSupported, concat } from '../../validation/field-checks.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { podTypes } from './pod.internal-form.js';
import { validateDescendingPath } from './volume-path.validation.js';
import { validateWindowsOptions } from './windows-options.validation.js';

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

/** A container's own settings. `hostUsers` says whether the pod shares the host's user namespace. */
export function validateSecurityContext(
  path: FieldPath,
  context: SecurityContext | undefined,
  hostUsers: boolean,
): FieldError[] {
  if (!context) return [];
  return concat(
    validateId(path.child('runAsUser'), context.runAsUser),
    validateId(path.child('runAsGroup'), context.runAsGroup),
    validateProcMount(path.child('procMount'), context.procMount, hostUsers),
    validateSeccompProfile(path.child('seccompProfile'), context.seccompProfile),
    validateEscalation(path, context),
    validateWindowsOptions(path.child('windowsOptions'), context.windowsOptions),
    validateAppArmorProfile(path.child('appArmorProfile'), context.appArmorProfile),
  );
}

export function validateId(path: FieldPath, id: number | undefined): FieldError[] {
  if (id === undefined || (id >= 0 && id <= 2147483647)) return [];
  return [invalidField(path, id, 'must be between 0 and 2147483647, inclusive')];
}

function validateProcMount(path: FieldPath, procMount: string | undefined, hostUsers: boolean): FieldError[] {
  if (procMount === undefined) return [];
  const errors = checkSupported(path, procMount, ['Default', 'Unmasked']);
  if (!hostUsers || procMount !== 'Unmasked') return errors;
  return concat(errors, [invalidField(path, procMount, '`hostUsers` must be false to use `Unmasked`')]);
}

/** Settings that give a process more privileges than its parent contradict `allowPrivilegeEscalation: false`. */
function validateEscalation(path: FieldPath, context: SecurityContext): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const shown = toInternalForm(context, 'SecurityContext', podTypes);
  const errors: FieldError[] = [];
  if (context.privileged) {
    const problem = 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true';
    errors.push(invalidField(path, shown, problem));
  }
  for (const _ of (context.capabilities?.add ?? []).filter((capability) => capability === 'CAP_SYS_ADMIN')) {
    const problem = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN';
    errors.push(invalidField(path, shown, problem));
  }
  return errors;
}

function validateSeccompProfile(path: FieldPath, profile: SeccompProfile | undefined): FieldError[] {
  if (!profile) return [];
  const { type = '', localhostProfile } = profile;
  const errors: FieldError[] = [];
  if (type === '') errors.push(requiredField(path.child('type'), 'type is required when seccompProfile is set'));
  else errors.push(...checkSupported(path.child('type'), type, profileTypes));
  const profilePath = path.child('localhostProfile');
  if (type === 'Localhost') {
    if (localhostProfile === undefined) {
      errors.push(requiredField(profilePath, 'must be set when seccomp type is Localhost'));
    } else errors.push(...validateDescendingPath(profilePath, localhostProfile));
  } else if (localhostProfile !== undefined) {
    const shown = toInternalForm(profile, 'Profile', podTypes);
    errors.push(invalidField(profilePath, shown, 'can only be set when seccomp type is Localhost'));
  }
  return errors;
}

function validateAppArmorProfile(path: FieldPath, profile: AppArmorProfile | undefined): FieldError[] {
  if (!profile) return [];
  const { type = '', localhostProfile } = profile;
  const profilePath = path.child('localhostProfile');
  if (type === '') return [requiredField(path.child('type'), 'type is required when appArmorProfile is set')];
  if (!profileTypes.includes(type)) return [notSupportedField(path.child('type'), type, profileTypes)];
  if (type === 'Localhost') return validateAppArmorPath(profilePath, localhostProfile);
  if (localhostProfile === undefined) return [];
  return [invalidField(profilePath, localhostProfile, 'can only be set when AppArmor type is Localhost')];
}

function validateAppArmorPath(path: FieldPath, profile: string | undefined): FieldError[] {
  if (profile === undefined) return [requiredField(path, 'must be set when AppArmor type is Localhost')];
  const errors: FieldError[] = [];
  if (profile.trim() !== profile) errors.push(invalidField(path, profile, 'must not be padded with whitespace'));
  else if (profile === '') errors.push(requiredField(path, 'must be set when AppArmor type is Localhost'));
  if (byteLength(profile) > 4095) errors.push(tooLongField(path, 4095));
  return errors;
}

export function validatePodSecurityContext(path: FieldPath, spec: PodSpec): FieldError[] {
  const context: PodSecurityContext = spec.securityContext ?? {};
  return concat(
    validateId(path.child('fsGroup'), context.fsGroup),
    validateId(path.child('runAsUser'), context.runAsUser),
    validateId(path.child('runAsGroup'), context.runAsGroup),
    (context.supplementalGroups ?? []).flatMap((id, index) =>
      validateId(path.child('supplementalGroups').index(index), id),
    ),
    validateProcessNamespace(path.child('shareProcessNamespace'), spec),
    validateSysctls(path.child('sysctls'), context.sysctls ?? [], spec),
    checkOptional(path.child('fsGroupChangePolicy'), context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']),
    validateSeccompProfile(path.child('seccompProfile'), context.seccompProfile),
    validateWindowsOptions(path.child('windowsOptions'), context.windowsOptions),
    validateAppArmorProfile(path.child('appArmorProfile'), context.appArmorProfile),
    checkOptional(path.child('supplementalGroupsPolicy'), context.supplementalGroupsPolicy, ['Merge', 'Strict']),
    validateChangePolicy(path.child('seLinuxChangePolicy'), context.seLinuxChangePolicy),
  );
}

/** SELinux mount options for all volumes require a feature gate. */
function validateChangePolicy(path: FieldPath, policy: string | undefined): FieldError[] {
  if (policy !== 'MountOption') return checkOptional(path, policy, ['Recursive']);
  return scoped([notSupportedField(path, policy, ['Recursive'])], {
    newRule: 'SELinux labels by mount option',
    whileOff: 'SELinuxMount',
  });
}

function checkOptional(path: FieldPath, value: string | undefined, supported: readonly string[]): FieldError[] {
  return value === undefined ? [] : checkSupported(path, value, supported);
}

function validateProcessNamespace(path: FieldPath, { shareProcessNamespace, hostPID }: PodSpec): FieldError[] {
  if (!shareProcessNamespace || !hostPID) return [];
  return [invalidField(path, true, 'ShareProcessNamespace and HostPID cannot both be enabled')];
}

const sysctlSegment = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const sysctlName = `^(${sysctlSegment}[\\./])*${sysctlSegment}$`;

function validateSysctls(path: FieldPath, sysctls: readonly Sysctl[], spec: PodSpec): FieldError[] {
  const seen = new Set<string>();
  return sysctls.flatMap(({ name = '' }, index) => {
    const namePath = path.index(index).child('name');
    const repeated = seen.has(name);
    seen.add(name);
    const ofHost = scoped(validateHostSysctl(namePath, name, spec), { newRule: 'sysctls of the host' });
    return concat(validateSysctlName(namePath, name, repeated), ofHost);
  });
}

function validateSysctlName(path: FieldPath, name: string, repeated: boolean): FieldError[] {
  if (name === '') return [requiredField(path)];
  if (byteLength(name) > 253 || !new RegExp(sysctlName).test(name)) {
    return [invalidField(path, name, `must have at most 253 characters and match regex ${sysctlName}`)];
  }
  return repeated ? [duplicateField(path, name)] : [];
}

const networkSysctl = /^net\./;
const ipcSysctl = /^(kernel\.shm|kernel\.msg|kernel\.sem$|fs\.mqueue\.)/;

/** What a namespace of the kernel holds can be set for a pod that has that namespace to itself. */
function validateHostSysctl(path: FieldPath, name: string, { hostNetwork, hostIPC }: PodSpec): FieldError[] {
  const dotted = withDots(name);
  if (hostNetwork && networkSysctl.test(dotted)) {
    return [invalidField(path, name, "may not be specified when 'hostNetwork' is true")];
  }
  if (!hostIPC || !ipcSysctl.test(dotted)) return [];
  return [invalidField(path, name, "may not be specified when 'hostIPC' is true")];
}

/** `net/ipv4/ip_forward` is another way to write `net.ipv4.ip_forward`; whichever sign comes first separates. */
function withDots(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  return separator === '/' ? name.replace(/[./]/g, (sign) => (sign === '/' ? '.' : '/')) : name;
}
