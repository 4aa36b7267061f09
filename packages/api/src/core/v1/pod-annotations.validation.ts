import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  type ObjectMeta,
  scoped,
} from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import type { AppArmorProfile, PodSpec, SeccompProfile } from '../../generated/types/core-v1.js';
import { concat } from '../../validation/field-checks.js';
import { visitContainers } from './visit-containers.js';
import { validateDescendingPath } from './volume-path.validation.js';

const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompPrefix = 'container.seccomp.security.alpha.kubernetes.io/';
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

type Annotations = Readonly<Record<string, string>>;

/** Few pods have any of these, and most of the work is for them. */
function isSetting(key: string): boolean {
  return isProfile(key) || key === deletionCost || key === mirrorAnnotation;
}

function isProfile(key: string): boolean {
  return key.startsWith(appArmorPrefix) || key.startsWith(seccompPrefix) || key === seccompPod;
}

/** Settings that once stood in annotations and still must be right there. `path` is that of the annotations. */
export function validatePodAnnotations(path: FieldPath, annotations: Annotations = {}, spec: PodSpec): FieldError[] {
  const keys = Object.keys(annotations);
  if (!keys.some(isSetting)) return [];
  keys.sort();
  const containers = new Set(visitContainers(path, spec).map(({ container }) => container.name));
  const mirror = annotations[mirrorAnnotation] !== undefined && !spec.nodeName;
  return concat(
    mirror
      ? [
          invalidField(
            path.key(mirrorAnnotation),
            annotations[mirrorAnnotation],
            'must set spec.nodeName if mirror pod annotation is set',
          ),
        ]
      : [],
    validateDeletionCost(path.key(deletionCost), annotations[deletionCost]),
    annotations[seccompPod] === undefined ? [] : validateSeccomp(path.child(seccompPod), annotations[seccompPod]),
    keys
      .filter((key) => key.startsWith(seccompPrefix))
      .flatMap((key) => validateSeccomp(path.child(key), annotations[key] ?? '')),
    keys
      .filter((key) => key.startsWith(appArmorPrefix))
      .flatMap((key) =>
        validateAppArmor(path.key(key), annotations[key] ?? '', {
          container: key.slice(appArmorPrefix.length),
          containers,
        }),
      ),
  );
}

function validateSeccomp(path: FieldPath, profile: string): FieldError[] {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return [];
  if (profile.startsWith('localhost/')) return validateDescendingPath(path, profile.slice('localhost/'.length));
  return [invalidField(path, profile, 'must be a valid seccomp profile')];
}

function validateAppArmor(
  path: FieldPath,
  profile: string,
  { container, containers }: { container: string; containers: ReadonlySet<string> },
): FieldError[] {
  const errors = containers.has(container) ? [] : [invalidField(path, container, 'container not found')];
  const isValid = ['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith('localhost/');
  if (isValid) return errors;
  return concat(errors, [invalidField(path, profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`)]);
}

function validateDeletionCost(path: FieldPath, cost: string | undefined): FieldError[] {
  if (cost === undefined || isInt32(cost)) return [];
  return scoped([invalidField(path, cost, 'must be a 32bit integer')], {
    newRule: 'costs of deletion',
    whileOn: 'PodDeletionCost',
  });
}

/** No plus sign, no leading zeros, as a number prints itself. */
function isInt32(text: string): boolean {
  return /^(0|-?[1-9]\d{0,9})$/.test(text) && Math.abs(Number(text) + 0.5) < 2 ** 31;
}

/**
 * A profile in an annotation and one in a field must be the same, since older nodes read the one and newer the other.
 */
export function validateProfilesMatch(specPath: FieldPath, meta: ObjectMeta | undefined, spec: PodSpec): FieldError[] {
  const annotations = meta?.annotations ?? {};
  if (!Object.keys(annotations).some(isProfile)) return [];
  const podPath = specPath.child('securityContext', 'seccompProfile');
  const errors = matchProfile(podPath, 'seccomp', {
    profile: spec.securityContext?.seccompProfile,
    annotation: annotations[seccompPod],
  });
  const containers = visitContainers(specPath, spec);
  for (const { container, path } of containers) {
    const profile = container.securityContext?.seccompProfile;
    const annotation = annotations[seccompPrefix + container.name];
    errors.push(...matchProfile(path.child('securityContext', 'seccompProfile'), 'seccomp', { profile, annotation }));
  }
  if (spec.os?.name === 'windows') return errors;
  for (const { container, path } of containers) {
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    const annotation = annotations[appArmorPrefix + container.name];
    errors.push(...matchProfile(path.child('securityContext', 'appArmorProfile'), 'apparmor', { profile, annotation }));
  }
  return errors;
}

const annotationValues: Readonly<Record<string, readonly string[]>> = {
  Unconfined: ['unconfined'],
  RuntimeDefault: ['runtime/default', 'docker/default'],
};

interface ProfileTwice {
  readonly profile: SeccompProfile | AppArmorProfile | undefined;
  readonly annotation: string | undefined;
}

function matchProfile(
  path: FieldPath,
  what: 'seccomp' | 'apparmor',
  { profile, annotation }: ProfileTwice,
): FieldError[] {
  if (!profile || annotation === undefined) return [];
  const otherType = forbiddenField(path.child('type'), `${what} type in annotation and field must match`);
  if (profile.type !== 'Localhost') {
    const values = ownValue(annotationValues, profile.type);
    return values && !values.includes(annotation) ? [otherType] : [];
  }
  if (!annotation.startsWith('localhost/')) return [otherType];
  if (annotation.slice('localhost/'.length) === profile.localhostProfile) return [];
  return [forbiddenField(path.child('localhostProfile'), `${what} profile in annotation and field must match`)];
}

export function validatePodAnnotationUpdate(
  path: FieldPath,
  annotations: Annotations = {},
  previous: Annotations = {},
): FieldError[] {
  const changed = Object.keys(previous).filter((key) => annotations[key] !== previous[key]);
  const added = Object.keys(annotations).filter((key) => previous[key] === undefined);
  return concat(
    changed.sort().flatMap((key) => forbidGuarded(path, key, 'remove or update')),
    added.sort().flatMap((key) => forbidGuarded(path, key, 'add')),
  );
}

function forbidGuarded(path: FieldPath, key: string, action: 'remove or update' | 'add'): FieldError[] {
  if (key.startsWith(appArmorPrefix)) return [forbiddenField(path.key(key), `may not ${action} AppArmor annotations`)];
  if (key === mirrorAnnotation) return [forbiddenField(path.key(key), `may not ${action} mirror pod annotation`)];
  return [];
}
