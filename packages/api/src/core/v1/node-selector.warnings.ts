import { type FieldPath, isLabelValue } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import type { NodeSelectorTerm } from '../../generated/types/core-v1.js';

const deprecatedNodeLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

/** The warning for a deprecated node label in selectors. */
export function deprecationOfNodeLabel(key: string): string | undefined {
  return ownValue(deprecatedNodeLabels, key);
}

/** Labels of nodes, in order, that a selector should not name. */
export function deprecatedLabelsOf(
  selector: Readonly<Record<string, string>>,
): readonly (readonly [key: string, advice: string])[] {
  return Object.keys(selector)
    .sort()
    .flatMap((key) => {
      const advice = deprecationOfNodeLabel(key);
      return advice === undefined ? [] : [[key, advice] as const];
    });
}

/** Advice on a term of a node selector. Values are looked at where validation does not do so. */
export function nodeSelectorTermWarnings(
  path: FieldPath,
  { matchExpressions = [] }: NodeSelectorTerm,
  { checksValues }: { readonly checksValues: boolean },
): string[] {
  return matchExpressions.flatMap(({ key, values = [] }, index) => {
    const at = path.child('matchExpressions').index(index);
    const advice = deprecationOfNodeLabel(key);
    const invalid = checksValues
      ? values.flatMap((value, valueIndex) =>
          isLabelValue(value).map((why) => `${at.child('values').index(valueIndex)}: ${value} is invalid, ${why}`),
        )
      : [];
    return [...(advice === undefined ? [] : [`${at.child('key')}: ${key} is ${advice}`]), ...invalid];
  });
}
