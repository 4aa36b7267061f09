import type { ResourceInfo } from '@coracle/apimachinery';
import type { AdapterRule, ResourceLabels } from './adapter-rules.js';
import type { SeriesLabels } from './prometheus-client.js';

/** Finds a resource by its group and its name, plural or singular. */
export type ResourceFinder = (name: { readonly group: string; readonly resource: string }) => ResourceInfo | undefined;

/** A metric, and its series. */
export interface CatalogMetric {
  readonly name: string;
  readonly series: string;
  readonly rule: AdapterRule;
  /** The resources whose objects have the metric, by `resource.group`, with the label that names the object. */
  readonly resources: ReadonlyMap<string, { readonly info: ResourceInfo; readonly label: string }>;
}

/** The metrics that a rule makes of series, by name. */
export function catalogOf(
  rule: AdapterRule,
  series: readonly SeriesLabels[],
  find: ResourceFinder,
): Map<string, CatalogMetric> {
  const metrics = new Map<string, CatalogMetric>();
  for (const labels of series) {
    const { __name__: seriesName = '' } = labels;
    if (!rule.is.every((one) => one.test(seriesName)) || rule.isNot.some((one) => one.test(seriesName))) continue;
    const name = metricName(rule, seriesName);
    if (!name) continue;
    const entry = metrics.get(name)?.resources ?? [];
    const resources = new Map([...entry, ...resourcesOf(rule.resources, Object.keys(labels), find)]);
    metrics.set(name, { name, series: seriesName, rule, resources });
  }
  return metrics;
}

/** The name of the metric of this series; `undefined` if the rule does not match it. */
export function metricName({ name: { matches, as } }: AdapterRule, series: string): string | undefined {
  const match = matches.exec(series);
  if (!match) return undefined;
  return as.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_whole, braced?: string, bare?: string) => {
    const group = braced ?? bare ?? '';
    return (/^\d+$/.test(group) ? match[Number(group)] : match.groups?.[group]) ?? '';
  });
}

/** The label by which series name objects of a resource. */
export function labelOf({ overrides, template }: ResourceLabels, info: ResourceInfo): string | undefined {
  for (const [label, { group, resource }] of overrides)
    if (group === info.group && (resource === info.resource || resource === info.singular)) return label;
  return template?.replace('<<.Group>>', info.group.replaceAll('.', '_')).replace('<<.Resource>>', info.singular);
}

function resourceKey({ resource, group }: { readonly resource: string; readonly group: string }): string {
  return group ? `${resource}.${group}` : resource;
}

function resourcesOf(
  labels: ResourceLabels,
  names: readonly string[],
  find: ResourceFinder,
): (readonly [string, { readonly info: ResourceInfo; readonly label: string }])[] {
  return names.flatMap((label) => {
    const named = labels.overrides.get(label) ?? resourceInLabel(labels.template, label);
    const info = named && find(named);
    return info ? [[resourceKey(info), { info, label }] as const] : [];
  });
}

/** Reads a template backwards: `kube_pod` says pod with the template `kube_<<.Resource>>`. */
function resourceInLabel(template: string | undefined, label: string): { group: string; resource: string } | undefined {
  if (template === undefined) return undefined;
  const source = template
    .replaceAll(/[\\^$.*+?()[\]{}|](?!Group>>|Resource>>)/g, '\\$&')
    .replace('<<.Group>>', '(?<group>[a-z0-9_]*)')
    .replace('<<.Resource>>', '(?<resource>[a-z0-9]+)');
  const { group = '', resource = '' } = new RegExp(`^${source}$`).exec(label)?.groups ?? {};
  return resource ? { group: group.replaceAll('_', '.'), resource } : undefined;
}
