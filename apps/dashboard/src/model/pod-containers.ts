import type { KubeObject } from '@coracle/apimachinery';
import type { AnyKube } from './status-in-words.js';

export interface LogSource {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** The containers of pods, each of which has a log. */
export function sourcesOf(pods: readonly KubeObject[]): LogSource[] {
  return pods.flatMap((pod) =>
    containersOf(pod).map((container) => ({
      namespace: pod.metadata.namespace ?? '',
      pod: pod.metadata.name ?? '',
      container,
    })),
  );
}

export function containersOf(pod: KubeObject): string[] {
  const { spec } = pod as AnyKube;
  const names = (field: string) => ((spec?.[field] ?? []) as { name: string }[]).map(({ name }) => name);
  return [...names('containers'), ...names('initContainers'), ...names('ephemeralContainers')];
}

/** The pods of a workload by its own selector, as text for the server; undefined where it has none. */
export function podSelectorOf(workload: KubeObject): string | undefined {
  const selector = (workload as AnyKube).spec?.['selector'] as
    | { matchLabels?: Record<string, string>; matchExpressions?: Expression[] }
    | Record<string, string>
    | undefined;
  if (!selector) return undefined;
  const isFull = 'matchLabels' in selector || 'matchExpressions' in selector;
  const { matchLabels = {}, matchExpressions = [] } = (isFull ? selector : { matchLabels: selector }) as {
    matchLabels?: Record<string, string>;
    matchExpressions?: Expression[];
  };
  const equal = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  return [...equal, ...matchExpressions.map(expressionText)].join(',');
}

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

function expressionText({ key, operator, values = [] }: Expression): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}
