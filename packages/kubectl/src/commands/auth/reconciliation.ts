import { type Fields, recordAt, recordsAt, stringMapAt, textAt, textsAt } from '../../values.js';

/** What must be done so that a role or binding has what a file says. */
export interface Reconciliation {
  readonly operation: 'create' | 'update' | 'recreate' | 'none';
  readonly object: Fields;
  readonly missing: readonly Fields[];
  readonly extra: readonly Fields[];
  readonly removes: boolean;
  /** Of a binding rather than of a role. */
  readonly subject: boolean;
}

export function reconcileRole(existing: Fields | undefined, expected: Fields, removes: boolean): Reconciliation {
  const expectedRules = recordsAt(expected, 'rules');
  if (!existing)
    return { operation: 'create', object: expected, missing: expectedRules, extra: [], removes, subject: false };
  const own = recordsAt(existing, 'rules');
  const missing = expectedRules.filter((rule) => !isCovered(rule, own));
  const extra = own.filter((rule) => !isCovered(rule, expectedRules));
  const rules = removes ? expectedRules : [...own, ...missing];
  const changed = missing.length > 0 || (removes && extra.length > 0) || hasNewMetadata(existing, expected);
  const object = { ...existing, metadata: mergedMetadata(existing, expected), rules };
  return { operation: changed ? 'update' : 'none', object, missing, extra, removes, subject: false };
}

export function reconcileBinding(existing: Fields | undefined, expected: Fields, removes: boolean): Reconciliation {
  const expectedSubjects = recordsAt(expected, 'subjects');
  if (!existing)
    return { operation: 'create', object: expected, missing: expectedSubjects, extra: [], removes, subject: true };
  const role = (object: Fields) => `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`;
  if (role(existing) !== role(expected))
    return { operation: 'recreate', object: expected, missing: expectedSubjects, extra: [], removes, subject: true };
  const own = recordsAt(existing, 'subjects');
  const key = (subject: Fields) => ['kind', 'name', 'namespace'].map((field) => textAt(subject, field)).join('/');
  const missing = expectedSubjects.filter((one) => !own.some((other) => key(other) === key(one)));
  const extra = own.filter((one) => !expectedSubjects.some((other) => key(other) === key(one)));
  const changed = missing.length > 0 || (removes && extra.length > 0) || hasNewMetadata(existing, expected);
  const subjects = removes ? expectedSubjects : [...own, ...missing];
  const object = { ...existing, metadata: mergedMetadata(existing, expected), subjects };
  return { operation: changed ? 'update' : 'none', object, missing, extra, removes, subject: true };
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

/** Whether rules together allow all that a rule allows. */
function isCovered(rule: Fields, by: readonly Fields[]): boolean {
  const has = (list: readonly string[], value: string) => list.includes('*') || list.includes(value);
  const names = textsAt(rule, 'resourceNames');
  const verbs = textsAt(rule, 'verbs');
  const urls = textsAt(rule, 'nonResourceURLs');
  const urlsCovered = urls.every((url) =>
    verbs.every((verb) =>
      by.some(
        (other) =>
          has(textsAt(other, 'verbs'), verb) &&
          textsAt(other, 'nonResourceURLs').some(
            (one) => one === url || (one.endsWith('*') && url.startsWith(one.slice(0, -1))),
          ),
      ),
    ),
  );
  const resourcesCovered = textsAt(rule, 'apiGroups').every((group) =>
    textsAt(rule, 'resources').every((resource) =>
      verbs.every((verb) =>
        (names.length === 0 ? [undefined] : names).every((name) =>
          by.some((other) => {
            const otherNames = textsAt(other, 'resourceNames');
            return (
              has(textsAt(other, 'verbs'), verb) &&
              has(textsAt(other, 'apiGroups'), group) &&
              has(textsAt(other, 'resources'), resource) &&
              (otherNames.length === 0 || (name !== undefined && otherNames.includes(name)))
            );
          }),
        ),
      ),
    ),
  );
  return urlsCovered && resourcesCovered;
}
