import { deepEqual } from '@coracle/base';
import { type Fields, recordAt, recordsAt, stringMapAt, textAt } from '../../values.js';
import { uncoveredRules } from './uncovered-rules.js';

/** The changes with which a role or binding has the contents of a file. */
export interface Reconciliation {
  readonly operation: 'create' | 'update' | 'recreate' | 'none';
  readonly object: Fields;
  readonly missing: readonly Fields[];
  readonly extra: readonly Fields[];
  readonly removes: boolean;
  /** Of a binding rather than of a role. */
  readonly subject: boolean;
  /** An annotation of what the server has forbids to change it. */
  readonly isProtected: boolean;
}

export function reconcileRole(existing: Fields | undefined, expected: Fields, removes: boolean): Reconciliation {
  const expectedRules = recordsAt(expected, 'rules');
  if (!existing) return { ...creation(expected, removes), missing: expectedRules, subject: false };
  const own = recordsAt(existing, 'rules');
  const missing = uncoveredRules(expectedRules, own);
  const bothAggregate = 'aggregationRule' in existing && 'aggregationRule' in expected;
  const extra = bothAggregate ? [] : uncoveredRules(own, expectedRules);
  const needsRules = missing.length > 0 || (removes && extra.length > 0);
  const rules = !needsRules ? own : removes ? expectedRules : [...own, ...missing];
  const aggregation = reconcileAggregation(existing, expected, removes);
  const changed = needsRules || aggregation.changed || hasNewMetadata(existing, expected);
  const { aggregationRule: _, ...rest } = existing;
  const object = { ...rest, ...aggregation.fields, metadata: mergedMetadata(existing, expected), rules };
  const operation = changed ? 'update' : 'none';
  return { operation, object, missing, extra, removes, subject: false, isProtected: isProtected(existing) };
}

/** The aggregation rule that a role is to have, if any, and whether it differs from the one that it has. */
function reconcileAggregation(
  existing: Fields,
  expected: Fields,
  removes: boolean,
): { readonly fields: Fields; readonly changed: boolean } {
  if (!('aggregationRule' in expected)) return { fields: {}, changed: 'aggregationRule' in existing };
  const selectorsOf = (role: Fields) => recordsAt(role, 'aggregationRule', 'clusterRoleSelectors');
  const [own, desired] = [selectorsOf(existing), selectorsOf(expected)];
  const without = (some: readonly Fields[], others: readonly Fields[]) =>
    some.filter((one) => !others.some((other) => deepEqual(one, other)));
  const [missing, extra] = [without(desired, own), without(own, desired)];
  const changed = missing.length > 0 || (removes && extra.length > 0);
  const selectors = !changed ? own : removes ? desired : [...own, ...missing];
  const hasRule = changed || 'aggregationRule' in existing;
  return { fields: hasRule ? { aggregationRule: { clusterRoleSelectors: selectors } } : {}, changed };
}

function creation(object: Fields, removes: boolean) {
  return { operation: 'create', object, extra: [], removes, isProtected: false } as const;
}

function isProtected(existing: Fields): boolean {
  return stringMapAt(existing, 'metadata', 'annotations')['rbac.authorization.kubernetes.io/autoupdate'] === 'false';
}

export function reconcileBinding(existing: Fields | undefined, expected: Fields, removes: boolean): Reconciliation {
  const expectedSubjects = recordsAt(expected, 'subjects');
  if (!existing) return { ...creation(expected, removes), missing: expectedSubjects, subject: true };
  const isKeptAsIs = isProtected(existing);
  const role = (object: Fields) => `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`;
  if (role(existing) !== role(expected))
    return {
      ...creation(expected, removes),
      operation: 'recreate',
      missing: expectedSubjects,
      subject: true,
      isProtected: isKeptAsIs,
    };
  const own = recordsAt(existing, 'subjects');
  const key = (subject: Fields) => ['kind', 'name', 'namespace'].map((field) => textAt(subject, field)).join('/');
  const missing = expectedSubjects.filter((one) => !own.some((other) => key(other) === key(one)));
  const extra = own.filter((one) => !expectedSubjects.some((other) => key(other) === key(one)));
  const changed = missing.length > 0 || (removes && extra.length > 0) || hasNewMetadata(existing, expected);
  const subjects = removes ? expectedSubjects : [...own, ...missing];
  const object = { ...existing, metadata: mergedMetadata(existing, expected), subjects };
  const operation = changed ? 'update' : 'none';
  return { operation, object, missing, extra, removes, subject: true, isProtected: isKeptAsIs };
}

function hasNewMetadata(existing: Fields, expected: Fields): boolean {
  return ['labels', 'annotations'].some((field) => {
    const own = stringMapAt(existing, 'metadata', field);
    return Object.entries(stringMapAt(expected, 'metadata', field)).some(([key, value]) => own[key] !== value);
  });
}

function mergedMetadata(existing: Fields, expected: Fields): Fields {
  const merged = { ...recordAt(existing, 'metadata') };
  for (const field of ['labels', 'annotations']) {
    const both = { ...stringMapAt(expected, 'metadata', field), ...stringMapAt(existing, 'metadata', field) };
    if (Object.keys(both).length > 0) merged[field] = both;
  }
  return merged;
}
