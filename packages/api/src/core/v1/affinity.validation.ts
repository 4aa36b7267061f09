import {
  type FieldError,
  type FieldPath,
  invalidField,
  isDns1123Label,
  isQualifiedName,
  requiredField,
  validateLabelSelector,
} from '@coracle/apimachinery';
import type { Affinity, NodeAffinity, PodAffinity, PodAffinityTerm } from '../../generated/types/core-v1.js';
import { checkValue, concat } from '../../validation/field-checks.js';
import { checkNodeSelector, checkNodeSelectorTerm } from '../../validation/node-selector.js';
import { validateLabelKeys } from './label-keys.validation.js';

export function validateAffinity(path: FieldPath, affinity: Affinity | undefined): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  return concat(
    nodeAffinity ? validateNodeAffinity(path.child('nodeAffinity'), nodeAffinity) : [],
    podAffinity ? validatePodAffinity(path.child('podAffinity'), podAffinity) : [],
    podAntiAffinity ? validatePodAffinity(path.child('podAntiAffinity'), podAntiAffinity) : [],
  );
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

function validateNodeAffinity(path: FieldPath, affinity: NodeAffinity): FieldError[] {
  const selector = affinity[required];
  return concat(
    selector ? checkNodeSelector(path.child(required), selector) : [],
    (affinity[preferred] ?? []).flatMap(({ weight = 0, preference }, index) => {
      const itemPath = path.child(preferred).index(index);
      return concat(
        validateWeight(itemPath.child('weight'), weight),
        checkNodeSelectorTerm(itemPath.child('preference'), preference ?? {}, { anyValue: true }),
      );
    }),
  );
}

function validateWeight(path: FieldPath, weight: number): FieldError[] {
  return weight > 0 && weight <= 100 ? [] : [invalidField(path, weight, 'must be in the range 1-100')];
}

function validatePodAffinity(path: FieldPath, affinity: PodAffinity): FieldError[] {
  return concat(
    (affinity[required] ?? []).flatMap((term, index) =>
      validatePodAffinityTerm(path.child(required).index(index), term),
    ),
    (affinity[preferred] ?? []).flatMap(({ weight = 0, podAffinityTerm }, index) => {
      const itemPath = path.child(preferred).index(index);
      return concat(
        validateWeight(itemPath.child('weight'), weight),
        validatePodAffinityTerm(itemPath.child('podAffinityTerm'), podAffinityTerm ?? { topologyKey: '' }),
      );
    }),
  );
}

function validatePodAffinityTerm(path: FieldPath, term: PodAffinityTerm): FieldError[] {
  const { topologyKey = '', namespaces = [] } = term;
  return concat(
    validateLabelSelector(term.labelSelector, path.child('labelSelector')),
    validateLabelSelector(term.namespaceSelector, path.child('namespaceSelector')),
    namespaces.flatMap((name) => checkValue(path.child('namespace'), name, isDns1123Label)),
    validateLabelKeys(path, term),
    topologyKey === '' ? [requiredField(path.child('topologyKey'), 'can not be empty')] : [],
    checkValue(path.child('topologyKey'), topologyKey, isQualifiedName),
  );
}
