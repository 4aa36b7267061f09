import { notFound, pageNotFound, parseLabelSelector } from '@coracle/apimachinery';
import type { AdapterWork, Catalog } from './adapter-work.js';
import { type MetricsQuery, namespaceLabel } from './custom-metrics.js';
import { formatSample } from './metric-value.js';
import { namesMatcher, renderQuery, selectorMatcher } from './query-template.js';

/** `namespaces/NS/METRIC`: an `ExternalMetricValueList` with one item for each series in the result of the query. */
export async function externalMetrics(
  work: AdapterWork,
  catalog: Catalog,
  { version, rest, parameters }: MetricsQuery,
): Promise<object> {
  const [first, namespace = '', name = ''] = rest;
  if (first !== 'namespaces' || rest.length !== 3 || !namespace || !name) throw pageNotFound();
  const metric = catalog.get(name);
  if (!metric) throw notFound({ group: 'external.metrics.k8s.io', resource: 'metrics' }, name);
  const { rule, series } = metric;
  const label = rule.resources.namespaced ? namespaceLabel(work, rule.resources) : undefined;
  const selector = parseLabelSelector(parameters.get('labelSelector') ?? '');
  const query = renderQuery(rule.metricsQuery, {
    series,
    matchers: [
      ...(label === undefined ? [] : [namesMatcher(label, [namespace])]),
      ...selector.requirements.map(selectorMatcher),
    ],
    groupBy: [],
  });
  const items = (await work.prometheus.query(query)).map(({ labels: { __name__: _, ...metricLabels }, value }) => ({
    metricName: name,
    metricLabels,
    ...formatSample(value, work.clock.now()),
  }));
  return { kind: 'ExternalMetricValueList', apiVersion: `external.metrics.k8s.io/${version}`, metadata: {}, items };
}
