import { apiVersionOf, notFound, pageNotFound, parseLabelSelector, type ResourceInfo } from '@coracle/apimachinery';
import type { AdapterWork, Catalog } from './adapter-work.js';
import { labelOf } from './metric-catalog.js';
import { formatSample } from './metric-value.js';
import { namesMatcher, renderQuery, selectorMatcher } from './query-template.js';

export interface MetricsQuery {
  readonly version: string;
  /** The parts of the path behind the version. */
  readonly rest: readonly string[];
  readonly parameters: URLSearchParams;
}

interface ObjectPath {
  readonly namespace: string | undefined;
  readonly resource: string;
  /** `*` for all that `labelSelector` selects. */
  readonly name: string;
  readonly metric: string;
}

/** A `MetricValueList` of one object, or of those that labels select. */
export async function customMetrics(work: AdapterWork, catalog: Catalog, metricsQuery: MetricsQuery): Promise<object> {
  const path = readPath(metricsQuery.rest);
  const metric = catalog.get(path.metric);
  const described = metric?.resources.get(path.resource);
  if (!metric || !described) throw notFound({ group: 'custom.metrics.k8s.io', resource: path.resource }, path.metric);
  const { info, label } = described;
  const names = path.name === '*' ? selectedNames(work, info, path.namespace, metricsQuery.parameters) : [path.name];
  const values = names.length === 0 ? new Map<string, number>() : await queryValues();
  if (path.name !== '*' && values.size === 0)
    throw notFound({ group: 'custom.metrics.k8s.io', resource: `${path.resource}/${path.metric}` }, path.name);
  return list(work, { metricsQuery, info, namespace: path.namespace, metric: path.metric }, values);

  async function queryValues(): Promise<Map<string, number>> {
    const { rule, series } = metric as NonNullable<typeof metric>;
    const selector = parseLabelSelector(metricsQuery.parameters.get('metricLabelSelector') ?? '');
    const namespaces = path.namespace === undefined ? undefined : namespaceLabel(work, metric?.rule.resources);
    const query = renderQuery(rule.metricsQuery, {
      series,
      matchers: [
        ...(namespaces !== undefined && path.namespace !== undefined
          ? [namesMatcher(namespaces, [path.namespace])]
          : []),
        namesMatcher(label, names),
        ...selector.requirements.map(selectorMatcher),
      ],
      groupBy: [label],
    });
    const samples = await work.prometheus.query(query);
    const nameSet = new Set(names);
    return new Map(
      samples.flatMap(({ labels, value }) => {
        // A query that does not group by the label refers to the single requested object.
        const name = labels[label] ?? (names.length === 1 ? names[0] : undefined);
        return name !== undefined && nameSet.has(name) ? [[name, value] as const] : [];
      }),
    );
  }
}

/** `namespaces/NS/metrics/METRIC`, `namespaces/NS/RESOURCE/NAME/METRIC` or `RESOURCE/NAME/METRIC`. */
function readPath(parts: readonly string[]): ObjectPath {
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = parts;
  if (parts.some((part) => part === '')) throw pageNotFound();
  if (first === 'namespaces' && third === 'metrics' && parts.length === 4)
    return { namespace: undefined, resource: 'namespaces', name: second, metric: fourth };
  if (first === 'namespaces' && parts.length === 5)
    return { namespace: second, resource: third, name: fourth, metric: fifth };
  if (parts.length === 3) return { namespace: undefined, resource: first, name: second, metric: third };
  throw pageNotFound();
}

function selectedNames(
  { objects }: AdapterWork,
  info: ResourceInfo,
  namespace: string | undefined,
  parameters: URLSearchParams,
): string[] {
  const selector = parseLabelSelector(parameters.get('labelSelector') ?? '');
  return objects(info, namespace)
    .filter(({ metadata }) => selector.matches(metadata.labels ?? {}))
    .map(({ metadata }) => metadata.name ?? '')
    .toSorted();
}

export function namespaceLabel(
  { findResource }: AdapterWork,
  resources: Parameters<typeof labelOf>[0] | undefined,
): string | undefined {
  const info = findResource({ group: '', resource: 'namespaces' });
  return info && resources && labelOf(resources, info);
}

function list(
  { clock }: AdapterWork,
  what: {
    readonly metricsQuery: MetricsQuery;
    readonly info: ResourceInfo;
    readonly namespace: string | undefined;
    readonly metric: string;
  },
  values: ReadonlyMap<string, number>,
): object {
  const { metricsQuery, info, namespace, metric } = what;
  const { version } = metricsQuery;
  const named =
    version === 'v1beta1' ? { metricName: metric, selector: null } : { metric: { name: metric, selector: null } };
  const items = [...values].map(([name, value]) => ({
    describedObject: {
      kind: info.kind,
      ...(namespace !== undefined && { namespace }),
      name,
      apiVersion: apiVersionOf(info),
    },
    ...named,
    ...formatSample(value, clock.now()),
  }));
  return { kind: 'MetricValueList', apiVersion: `custom.metrics.k8s.io/${version}`, metadata: {}, items };
}
