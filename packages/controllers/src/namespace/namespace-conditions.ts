import type { NamespaceCondition } from '@coracle/api';
import { setCondition } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** The result of deleting the content of a namespace. */
export interface ContentReport {
  /** Group versions whose discovery failed. */
  readonly discoveryFailures: readonly string[];
  readonly deletionFailures: readonly string[];
  /** `resource.group` → number of remaining objects. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Finalizer → number of objects that have it. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Estimated time until the rest is deleted. */
  readonly estimateSeconds: number;
}

type Verdict = { readonly reason: string; readonly message: string };

interface Row {
  readonly type: string;
  readonly fine: Verdict;
  /** The message, or `undefined`. */
  problem(report: ContentReport): Verdict | undefined;
}

const rows: readonly Row[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    fine: { reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' },
    problem: ({ discoveryFailures: failures }) =>
      failures.length === 0
        ? undefined
        : {
            reason: 'DiscoveryFailed',
            message: `Discovery failed for some groups, ${failures.length} failing: unable to retrieve the complete list of server APIs: ${failures.join(', ')}`,
          },
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    fine: { reason: 'ParsedGroupVersions', message: 'All legacy kube types successfully parsed' },
    problem: () => undefined,
  },
  {
    type: 'NamespaceDeletionContentFailure',
    fine: {
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    problem: ({ deletionFailures: failures }) =>
      failures.length === 0
        ? undefined
        : {
            reason: 'ContentDeletionFailed',
            message: `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(', ')}`,
          },
  },
  {
    type: 'NamespaceContentRemaining',
    fine: { reason: 'ContentRemoved', message: 'All content successfully removed' },
    problem: ({ remaining }) =>
      remaining.size === 0
        ? undefined
        : { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${list(remaining, 'has')}` },
  },
  {
    type: 'NamespaceFinalizersRemaining',
    fine: { reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
    problem: ({ finalizers }) =>
      finalizers.size === 0
        ? undefined
        : {
            reason: 'SomeFinalizersRemain',
            message: `Some content in the namespace has finalizers remaining: ${list(finalizers, 'in')}`,
          },
  },
];

/** Updates the conditions of the deletion. Others are preserved. */
export function namespaceConditions(
  current: readonly NamespaceCondition[] | undefined,
  report: ContentReport,
  now: Millis,
): readonly NamespaceCondition[] {
  return rows.reduce<readonly NamespaceCondition[]>((conditions, { type, fine, problem }) => {
    const found = problem(report);
    return setCondition(conditions, { type, status: found ? 'True' : 'False', ...(found ?? fine) }, now);
  }, current ?? []);
}

function list(counts: ReadonlyMap<string, number>, verb: string): string {
  return [...counts.keys()]
    .sort()
    .map((name) => `${name} ${verb} ${counts.get(name)} resource instances`)
    .join(', ');
}
