import { ownValue } from '@coracle/base';
import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
} from '../../generated/types/core-v1.js';

/** Whether a pod's node selector and its required node affinity both accept a node. */
export function requiredNodeAffinityMatches(spec: PodSpec | undefined, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(spec?.nodeSelector ?? {})) if (labels[key] !== value) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || nodeSelectorMatches(required, node);
}

/** One of its terms is enough. */
export function nodeSelectorMatches({ nodeSelectorTerms }: NodeSelector, node: Node): boolean {
  return nodeSelectorTerms.some((term) => termMatches(term, node));
}

/** All of its requirements must match; a term without any matches nothing. */
export function termMatches({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  const fields: Readonly<Record<string, string>> = { 'metadata.name': node.metadata.name ?? '' };
  return matchExpressions.every((one) => holds(one, labels)) && matchFields.every((one) => holds(one, fields));
}

function holds({ key, operator, values = [] }: NodeSelectorRequirement, on: Readonly<Record<string, string>>): boolean {
  const value = ownValue(on, key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return compareNumbers(value, values[0], (a, b) => a > b);
    case 'Lt':
      return compareNumbers(value, values[0], (a, b) => a < b);
    default:
      return false;
  }
}

function compareNumbers(
  value: string | undefined,
  bound: string | undefined,
  holdsFor: (a: bigint, b: bigint) => boolean,
): boolean {
  const whole = /^[+-]?\d+$/;
  if (value === undefined || bound === undefined || !whole.test(value) || !whole.test(bound)) return false;
  return holdsFor(BigInt(value), BigInt(bound));
}
