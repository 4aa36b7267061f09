import { isRecord } from '@coracle/base';

type Fields = Record<string, unknown>;

/** How the fields of one source of metrics in autoscaling/v1 map to paths in autoscaling/v2. */
type Layout = readonly (readonly [flat: string, path: readonly string[]])[];

const identifier = (selector: string): Layout => [
  ['metricName', ['metric', 'name']],
  [selector, ['metric', 'selector']],
];
const resource = (prefix: string, part: string): Layout => [
  ['name', ['name']],
  [`${prefix}AverageUtilization`, [part, 'averageUtilization']],
  [`${prefix}AverageValue`, [part, 'averageValue']],
];

function layouts(prefix: 'target' | 'current', part: 'target' | 'current'): Readonly<Record<string, Layout>> {
  const value = [`${prefix}Value`, [part, 'value']] as const;
  const averageValue = [`${prefix}AverageValue`, [part, 'averageValue']] as const;
  return {
    resource: resource(prefix, part),
    containerResource: [...resource(prefix, part), ['container', ['container']]],
    pods: [...identifier('selector'), averageValue],
    object: [
      ...identifier('selector'),
      ['target', ['describedObject']],
      value,
      ['averageValue', [part, 'averageValue']],
    ],
    external: [...identifier('metricSelector'), value, averageValue],
  };
}

const targets = layouts('target', 'target');
const currents = layouts('current', 'current');

export function metricToV1(metric: Fields): Fields {
  return mapSources(metric, (source, kind) => flatten(source, targets[kind] ?? []));
}

export function metricFromV1(metric: Fields): Fields {
  return mapSources(metric, (source, kind) => {
    const nested = unflatten(source, targets[kind] ?? []);
    const target = isRecord(nested['target']) ? nested['target'] : {};
    return { ...nested, target: { type: targetType(target), ...target } };
  });
}

export function statusToV1(metric: Fields): Fields {
  return mapSources(metric, (source, kind) => flatten(source, currents[kind] ?? []));
}

export function statusFromV1(metric: Fields): Fields {
  return mapSources(metric, (source, kind) => ({ current: {}, ...unflatten(source, currents[kind] ?? []) }));
}

function targetType(target: Readonly<Fields>): string {
  if (target['averageUtilization'] !== undefined) return 'Utilization';
  return target['averageValue'] !== undefined ? 'AverageValue' : 'Value';
}

function mapSources(metric: Fields, change: (source: Fields, kind: string) => Fields): Fields {
  const entries = Object.entries(metric).map(([kind, source]) => [
    kind,
    isRecord(source) ? change(source, kind) : source,
  ]);
  return Object.fromEntries(entries);
}

function flatten(source: Fields, layout: Layout): Fields {
  const flat: Fields = {};
  for (const [field, path] of layout) {
    const value = path.reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), source);
    if (value !== undefined) flat[field] = value;
  }
  return flat;
}

function unflatten(flat: Fields, layout: Layout): Fields {
  const source: Fields = {};
  for (const [field, [first = '', second]] of layout) {
    const value = flat[field];
    if (value === undefined) continue;
    if (second === undefined) source[first] = value;
    else source[first] = { ...(isRecord(source[first]) ? source[first] : {}), [second]: value };
  }
  return source;
}
