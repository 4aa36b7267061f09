import { type NodeSelectorTerm, termMatches } from '@coracle/api';
import type { NodeInfo } from '../cache/node-info.js';
import { type Change, type Trial, withLabels, withSpec } from './trial.js';

type Labels = Readonly<Record<string, string>>;

/** Suggests the labels that the node lacks, or preferred instead of required affinity. */
export function nodeAffinityChanges({ pod, node }: Trial): Change[] {
  const { nodeSelector = {}, affinity } = pod.pod.spec ?? {};
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const selected = missingOf(nodeSelector, node);
  const perTerm: readonly Labels[] =
    terms.length === 0 ? [{}] : terms.flatMap((term) => [labelsFor(term, node)].filter((one) => one !== undefined));
  const labelled = perTerm.flatMap((labels) => addLabels(node, { ...selected, ...labels }));
  return [...labelled, ...(terms.length > 0 ? [preferInstead(selected, node)] : [])];
}

function missingOf(labels: Labels, node: NodeInfo): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([key, value]) => node.labels[key] !== value));
}

/** The labels with which a node matches the term; `undefined` if adding labels is not enough. */
function labelsFor({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: NodeInfo): Labels | undefined {
  if (matchFields.length > 0 && !termMatches({ matchFields }, node.node)) return undefined;
  const labels: Record<string, string> = {};
  for (const expression of matchExpressions) {
    if (termMatches({ matchExpressions: [expression] }, node.node)) continue;
    const value = valueFor[expression.operator]?.(expression.values ?? []);
    if (value === undefined) return undefined;
    labels[expression.key] = value;
  }
  return labels;
}

/** A value with which a label meets a requirement; none for requirements of another value, or of no label. */
const valueFor: Readonly<Record<string, (values: readonly string[]) => string | undefined>> = {
  In: ([first]) => first,
  Exists: () => '',
  Gt: ([bound]) => String(Number(bound) + 1),
  Lt: ([bound]) => String(Number(bound) - 1),
};

function addLabels(node: NodeInfo, labels: Labels): Change[] {
  if (Object.keys(labels).length === 0) return [];
  return [
    {
      text: `add the label ${describe(labels)} to the node ${node.name}`,
      cost: 2,
      apply: (trial) => withLabels(trial, labels),
    },
  ];
}

function describe(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

function preferInstead(selected: Labels, node: NodeInfo): Change {
  const isSelected = Object.keys(selected).length === 0;
  const also = isSelected ? '' : `, and add the label ${describe(selected)} to the node ${node.name}`;
  return {
    text: `prefer the node affinity instead of requiring it${also}`,
    cost: isSelected ? 1.5 : 3.5,
    apply: (trial) =>
      withSpec(withLabels(trial, selected), (spec) => {
        const { requiredDuringSchedulingIgnoredDuringExecution: required, ...rest } = spec.affinity?.nodeAffinity ?? {};
        const preferred = (required?.nodeSelectorTerms ?? []).map((preference) => ({ weight: 100, preference }));
        const before = rest.preferredDuringSchedulingIgnoredDuringExecution ?? [];
        const nodeAffinity = { ...rest, preferredDuringSchedulingIgnoredDuringExecution: [...before, ...preferred] };
        return { ...spec, affinity: { ...spec.affinity, nodeAffinity } };
      }),
  };
}
