import { type FieldError, FieldPath, forbiddenField, type ObjectMeta } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { Pod, PodSpec } from '../../generated/types/core-v1.js';
import { concat } from '../../validation/field-checks.js';
import { validateImageSpaces } from './container.validation.js';
import { validatePodAnnotations, validateProfilesMatch } from './pod-annotations.validation.js';
import { validatePodSpec } from './pod-spec.validation.js';

const specPath = FieldPath.of('spec');
const annotationsPath = FieldPath.of('metadata', 'annotations');

/** Validates a new pod; see `pod-update.validation.ts` for updates. */
export function validatePod(pod: Pod, content: readonly FieldError[] = validatePodContent(pod)): FieldError[] {
  const spec = pod.spec ?? { containers: [] };
  const errors = [...content];
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

/** Validates a pod, new or updated. */
export function validatePodContent({ metadata, spec = { containers: [] } }: Pod): FieldError[] {
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

/** The rules for a spec read the annotations, and the name of the pod for the names of claims. */
export function readsSameMetadata({ metadata: a, spec }: Pod, b: ObjectMeta): boolean {
  if (!deepEqual(a.annotations, b.annotations)) return false;
  return a.name === b.name || !spec?.volumes?.some(({ ephemeral }) => ephemeral);
}

/** There is no token without a service account; admission sets one, so this is for updates that remove it. */
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
