import {
  duplicateField,
  type FieldError,
  type FieldPath,
  invalidField,
  requiredField,
  scoped,
  validateLabelSelector,
} from '@coracle/apimachinery';
import type { TopologySpreadConstraint } from '../../generated/types/core-v1.js';
import { checkSupported } from '../../validation/field-checks.js';
import { validateLabelKeys } from './label-keys.validation.js';

export function validateTopologySpread(
  path: FieldPath,
  constraints: readonly TopologySpreadConstraint[] = [],
): FieldError[] {
  return constraints.flatMap((constraint, index) => {
    const itemPath = path.index(index);
    return [
      ...validateConstraint(itemPath, constraint),
      ...validateOnce(itemPath, constraint, constraints.slice(index + 1)),
      ...validateMinDomains(itemPath.child('minDomains'), constraint),
      ...validateInclusion(itemPath.child('nodeAffinityPolicy'), constraint.nodeAffinityPolicy),
      ...validateInclusion(itemPath.child('nodeTaintsPolicy'), constraint.nodeTaintsPolicy),
      ...scoped(validateLabelKeys(itemPath, constraint), { newRule: 'label keys of spread constraints' }),
      ...scoped(validateLabelSelector(constraint.labelSelector, itemPath.child('labelSelector')), {
        newRule: 'selectors of spread constraints',
      }),
    ];
  });
}

function validateConstraint(path: FieldPath, constraint: TopologySpreadConstraint): FieldError[] {
  const { maxSkew = 0, topologyKey, whenUnsatisfiable = '' } = constraint;
  return [
    ...(maxSkew > 0 ? [] : [invalidField(path.child('maxSkew'), maxSkew, 'must be greater than zero')]),
    ...(topologyKey ? [] : [requiredField(path.child('topologyKey'), 'can not be empty')]),
    ...checkSupported(path.child('whenUnsatisfiable'), whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway']),
  ];
}

/** Key and action together are one kind of constraint, of which there is at most one. */
function validateOnce(
  path: FieldPath,
  { topologyKey = '', whenUnsatisfiable = '' }: TopologySpreadConstraint,
  rest: readonly TopologySpreadConstraint[],
): FieldError[] {
  const repeated = rest.some(
    (other) => (other.topologyKey ?? '') === topologyKey && (other.whenUnsatisfiable ?? '') === whenUnsatisfiable,
  );
  if (!repeated) return [];
  return [duplicateField(path.child('{topologyKey, whenUnsatisfiable}'), `{${topologyKey}, ${whenUnsatisfiable}}`)];
}

function validateMinDomains(
  path: FieldPath,
  { minDomains, whenUnsatisfiable = '' }: TopologySpreadConstraint,
): FieldError[] {
  if (minDomains === undefined) return [];
  const errors = minDomains > 0 ? [] : [invalidField(path, minDomains, 'must be greater than zero')];
  if (whenUnsatisfiable === 'DoNotSchedule') return errors;
  const problem = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
  return [...errors, invalidField(path, minDomains, problem)];
}

function validateInclusion(path: FieldPath, policy: string | undefined): FieldError[] {
  return policy === undefined ? [] : checkSupported(path, policy, ['Honor', 'Ignore']);
}
