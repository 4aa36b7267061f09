import { isRecord } from '@coracle/base';
import { readJson } from '../read-json.js';
import type { Schema } from '../schema.js';
import { applyConflict, type StatusError } from '../status-error.js';
import { compareObjects } from './compare.js';
import { difference, type FieldSet, isEmptySet, pathsOf } from './field-set.js';
import { fieldsOf } from './fields-of.js';
import { compareText, type Owner, type Owners } from './managed-fields.js';
import { formatPath } from './path-element.js';
import { typeProblems } from './typed-check.js';

/** The 409 of an apply that would change fields of other managers, with a cause for each field. */
export function conflictError(conflicts: ReadonlyMap<string, FieldSet>, owners: Owners): StatusError {
  const byOwner = [...conflicts]
    .sort(([a], [b]) => compareText(a, b))
    .map(([id, fields]) => ({ who: describe(owners.get(id)), paths: pathsOf(fields).map(formatPath) }));
  const causes = byOwner.flatMap(({ who, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  );
  return applyConflict(conflictMessage(byOwner, causes.length), causes);
}

interface OwnerConflicts {
  readonly who: string;
  readonly paths: readonly string[];
}

function conflictMessage(byOwner: readonly OwnerConflicts[], count: number): string {
  const [first] = byOwner;
  if (count === 1 && first) return `Apply failed with 1 conflict: conflict with ${first.who}: ${first.paths[0]}`;
  const lines = byOwner.flatMap(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}

function describe(owner: Owner | undefined): string {
  if (owner === undefined) return '""';
  const subresource = owner.subresource && ` with subresource ${JSON.stringify(owner.subresource)}`;
  const version = owner.operation === 'Update' ? ` using ${owner.apiVersion}` : '';
  return `${JSON.stringify(owner.manager)}${subresource}${version}`;
}

const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The fields that client-side `kubectl apply` set and that still have the values it gave them, by its annotation on the
 * live object; `undefined` if there is none for this version.
 */
export function lastAppliedFields(at: {
  readonly live: object | undefined;
  readonly schema: Schema;
  readonly apiVersion: string;
}): FieldSet | undefined {
  const last = parseLastApplied(at.live);
  if (last === undefined || last['apiVersion'] !== at.apiVersion || typeProblems(last, at.schema).length > 0)
    return undefined;
  const { added, modified, removed } = compareObjects(last, at.live, at.schema);
  return [modified, added, removed].reduce(difference, fieldsOf(last, at.schema));
}

function parseLastApplied(live: object | undefined): Record<string, unknown> | undefined {
  const metadata = (live as { metadata?: { annotations?: Record<string, string> } } | undefined)?.metadata;
  const text = metadata?.annotations?.[lastAppliedAnnotation];
  if (!text) return undefined;
  try {
    const last: unknown = readJson(text);
    return isRecord(last) ? last : undefined;
  } catch {
    return undefined;
  }
}

/** The remaining conflicts if some fields may be taken over. */
export function withoutAllowed(conflicts: ReadonlyMap<string, FieldSet>, allowed: FieldSet): Map<string, FieldSet> {
  const left = new Map<string, FieldSet>();
  for (const [id, fields] of conflicts) {
    const rest = difference(fields, allowed);
    if (!isEmptySet(rest)) left.set(id, rest);
  }
  return left;
}
