import { type FieldError, FieldPath, forbiddenField, type ObjectMeta } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { Pod, PodSpec } from '../../generated/types/core-v1.js';
import { concat } from '../../validation/field-checks.js';
import { validateImageSpaces } from './container.validation.js';
import { validatePodAnnotations, validateProfilesMatch } from './pod-annotations.validation.js';
import { validatePodSpec } from './pod-spec.validation.js';

const specPath = FieldPath.of('spec');
const annotationsPath = FieldPath.of('metadata', 'annotations');

/** A pod as it is made; see `pod-update.validation.ts` for what may become of it. */
export function validatePod(pod: Pod): FieldError[] {
  const spec = pod.spec ?? { containers: [] };
  const errors = validatePodContent(pod);
  if (spec.ephemeralContainers?.length) {
    errors.push(forbiddenField(specPath.child('ephemeralContainers'), 'cannot be set on create'));
  }
  if (spec.nodeName && spec.schedulingGates?.length) {
    errors.push(
      forbiddenField(specPath.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'),
    );
  }
  return concat(errors, validateProfilesMatch(specPath, pod.metadata, spec));
}

/**
 * Specs in which nothing was found, with the last metadata that this was found out with: a cache and not state. A spec
 * that has been validated does not change any more, and the pods of a series share theirs.
 */
const sound = new WeakMap<PodSpec, ObjectMeta>();

/** What holds for a pod at any time. */
export function validatePodContent(pod: Pod): FieldError[] {
  const { metadata, spec = { containers: [] } } = pod;
  const known = sound.get(spec);
  if (known && isTheSameTo(spec, metadata, known)) return [];
  const errors = findInContent(metadata, spec);
  if (errors.length === 0) sound.set(spec, metadata);
  return errors;
}

/** Whether the rules for a spec see no difference between two metadata: they read the annotations, and the names of claims. */
function isTheSameTo(spec: PodSpec, a: ObjectMeta, b: ObjectMeta): boolean {
  if (!deepEqual(a.annotations, b.annotations)) return false;
  return a.name === b.name || !spec.volumes?.some(({ ephemeral }) => ephemeral);
}

function findInContent(metadata: ObjectMeta, spec: PodSpec): FieldError[] {
  return concat(
    validatePodAnnotations(annotationsPath, metadata.annotations, spec),
    validatePodSpec(specPath, spec, { podMeta: metadata }),
    validateTokens(spec),
    (spec.containers ?? []).flatMap((one, index) =>
      validateImageSpaces(specPath.child('containers').index(index), one),
    ),
    (spec.initContainers ?? []).flatMap((one, index) =>
      validateImageSpaces(specPath.child('initContainers').index(index), one),
    ),
  );
}

/** There is no token without an account; admission gives pods one, so this is for updates that take it away. */
function validateTokens({ serviceAccountName, volumes = [] }: PodSpec): FieldError[] {
  if (serviceAccountName) return [];
  return volumes.flatMap(({ projected }, index) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, i) => {
      const path = specPath.child('volumes').index(index).child('projected', 'sources').index(i);
      if (!serviceAccountToken) return [];
      return [
        forbiddenField(path.child('serviceAccountToken'), 'must not be specified when serviceAccountName is not set'),
      ];
    }),
  );
}
