import { decodeObject, type FieldError, formatFieldError, parseApiVersion } from '@coracle/apimachinery';
import { deepCopy, isRecord } from '@coracle/base';
import type { KindRules } from './kind-rules.js';
import { rulesOf } from './rules.js';
import { schemaOfKind } from './schemas.js';

/** Path → value: `{ 'spec.ports.0.port': 0 }`. `undefined` removes the field. */
export type Changes = Readonly<Record<string, unknown>>;

interface SampleObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
}

/** The object with changes, decoded and with its defaults, as validation gets it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into objects of every kind
export function withDefaults(sample: SampleObject, changes: Changes = {}): any {
  const changed: Record<string, unknown> = { ...deepCopy(sample) };
  for (const [path, value] of Object.entries(changes)) setAt(changed, path.split('.'), value);
  const { object } = decodeObject(changed, schema(sample));
  rules(sample).setDefaults?.(object);
  return object;
}

/** Field errors of a new object, one line each. The long descriptions of regular expressions are left out. */
export function problemsOnCreate(sample: SampleObject, changes: Changes): string[] {
  return (rules(sample).validate?.(withDefaults(sample, changes)) ?? []).map(shortened);
}

/** Field errors of an update of the sample. */
export function problemsOnUpdate(sample: SampleObject, changes: Changes): string[] {
  const { validate, validateUpdate = validate } = rules(sample);
  return (validateUpdate?.(withDefaults(sample, changes), withDefaults(sample)) ?? []).map(shortened);
}

/** Field errors of an update of the sample's status. */
export function problemsOnStatusUpdate(sample: SampleObject, changes: Changes): string[] {
  const { validateStatusUpdate } = rules(sample);
  return (validateStatusUpdate?.(withDefaults(sample, changes), withDefaults(sample)) ?? []).map(shortened);
}

export function warningsOf(sample: SampleObject, changes: Changes = {}): string[] {
  return rules(sample).warnings?.(withDefaults(sample, changes)) ?? [];
}

function gvkOf({ apiVersion, kind }: SampleObject) {
  const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {};
  return { group, version, kind };
}

function schema(sample: SampleObject) {
  const found = schemaOfKind(gvkOf(sample));
  if (!found) throw new Error(`no such kind: ${sample.kind}`);
  return found;
}

function rules(sample: SampleObject): KindRules<unknown> {
  return rulesOf(gvkOf(sample));
}

function setAt(target: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    if (value === undefined) delete target[first];
    else target[first] = value;
    return;
  }
  if (!isRecord(target[first]) && !Array.isArray(target[first])) target[first] = {};
  setAt(target[first] as Record<string, unknown>, rest, value);
}

function shortened(error: FieldError): string {
  return formatFieldError(error).replace(/ \((?:e\.g\..*)?regex used for validation is .*\)/s, '');
}
