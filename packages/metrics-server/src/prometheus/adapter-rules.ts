import { isRecord } from '@coracle/base';
import { checkTemplate } from './query-template.js';

/** A rule that maps series of Prometheus to metrics, as in the configuration file of prometheus-adapter. */
export interface AdapterRule {
  /** Selects series: `http_requests_total{namespace!="",pod!=""}`. */
  readonly seriesQuery: string;
  /** The name of a series must match all `is` filters and no `isNot` filter. */
  readonly is: readonly RegExp[];
  readonly isNot: readonly RegExp[];
  readonly resources: ResourceLabels;
  readonly name: { readonly matches: RegExp; readonly as: string };
  /** A PromQL query with `<<.Series>>`, `<<.LabelMatchers>>` and `<<.GroupBy>>`. */
  readonly metricsQuery: string;
}

/** Which labels name Kubernetes objects. */
export interface ResourceLabels {
  /** By label. */
  readonly overrides: ReadonlyMap<string, { readonly group: string; readonly resource: string }>;
  /** `kube_<<.Group>>_<<.Resource>>`: the label of every other resource. */
  readonly template: string | undefined;
  /** Whether queries for external metrics are limited to a namespace. */
  readonly namespaced: boolean;
}

export interface AdapterRules {
  readonly custom: readonly AdapterRule[];
  readonly external: readonly AdapterRule[];
}

/** Parses a configuration file. Throws an error with the problem and its location. */
export function parseAdapterRules(config: unknown): AdapterRules {
  if (!isRecord(config)) throw new Error('must have rules or externalRules');
  const read = (field: 'rules' | 'externalRules') =>
    listOf(config[field], field).map((rule, index) => parseRule(rule, `${field}[${index}]`));
  const rules = { custom: read('rules'), external: read('externalRules') };
  if (rules.custom.length + rules.external.length === 0) throw new Error('must have rules or externalRules');
  return rules;
}

function parseRule(rule: unknown, path: string): AdapterRule {
  if (!isRecord(rule)) throw new Error(`${path}: must be an object`);
  const filters = listOf(rule['seriesFilters'], `${path}.seriesFilters`).map((one) => (isRecord(one) ? one : {}));
  const patterns = (field: 'is' | 'isNot') =>
    filters.flatMap((one) => (one[field] === undefined ? [] : [pattern(one[field], `${path}.seriesFilters.${field}`)]));
  const metricsQuery = text(rule['metricsQuery'], `${path}.metricsQuery`);
  checkTemplate(metricsQuery, `${path}.metricsQuery`);
  return {
    seriesQuery: text(rule['seriesQuery'], `${path}.seriesQuery`),
    is: patterns('is'),
    isNot: patterns('isNot'),
    resources: parseResources(rule['resources'], `${path}.resources`),
    name: parseName(rule['name'], `${path}.name`),
    metricsQuery,
  };
}

function parseResources(value: unknown, path: string): ResourceLabels {
  const fields = value === undefined || value === null ? {} : value;
  if (!isRecord(fields)) throw new Error(`${path}: must be an object`);
  const { overrides = {}, template, namespaced = true } = fields;
  if (!isRecord(overrides)) throw new Error(`${path}.overrides: must be an object`);
  const byLabel = Object.entries(overrides).map(([label, named]) => {
    if (!isRecord(named)) throw new Error(`${path}.overrides.${label}: must be an object`);
    const { group = '' } = named;
    if (typeof group !== 'string') throw new Error(`${path}.overrides.${label}.group: must be a string`);
    return [label, { group, resource: text(named['resource'], `${path}.overrides.${label}.resource`) }] as const;
  });
  if (template !== undefined && !text(template, `${path}.template`).includes('<<.Resource>>'))
    throw new Error(`${path}.template: must contain <<.Resource>>`);
  if (typeof namespaced !== 'boolean') throw new Error(`${path}.namespaced: must be true or false`);
  return { overrides: new Map(byLabel), template: template as string | undefined, namespaced };
}

/** Without `as`, a metric is called what the only group of `matches` stands for, or as the series is. */
function parseName(value: unknown, path: string): AdapterRule['name'] {
  const { matches: matchPattern, as } = isRecord(value) ? value : {};
  const matches = matchPattern ? pattern(matchPattern, `${path}.matches`) : /.*/;
  if (as) return { matches, as: text(as, `${path}.as`) };
  const groups = (new RegExp(`${matches.source}|`).exec('')?.length ?? 1) - 1;
  if (groups > 1) throw new Error(`${path}.as: is required if matches has more than one group`);
  return { matches, as: `$${groups}` };
}

function listOf(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error(`${path}: must be a list`);
  return value;
}

function text(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw new Error(`${path}: is required`);
  return value;
}

/** Go names groups `(?P<name>…)`. */
function pattern(value: unknown, path: string): RegExp {
  const source = text(value, path);
  try {
    return new RegExp(source.replaceAll('(?P<', '(?<'));
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
