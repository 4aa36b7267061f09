import { parseQuantity, Quantity } from '@coracle/apimachinery';
import type { NodeMetrics, PodMetrics } from './compute-metrics.js';

const definitions = [
  { name: 'Name', type: 'string', format: 'name', description: 'Name of the resource', priority: 0 },
  ...['cpu', 'memory'].map((name) => ({ name, type: 'string', format: '', description: '', priority: 0 })),
  { name: 'Window', type: 'string', format: 'duration', description: 'Interval of the measurement', priority: 0 },
];

/** The columns of `kubectl get nodes.metrics.k8s.io`. */
export function metricsTable(items: readonly (NodeMetrics | PodMetrics)[]): object {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {},
    columnDefinitions: definitions,
    rows: items.map((item) => ({
      cells: [item.metadata.name, total(item, 'cpu'), total(item, 'memory'), item.window],
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: item.metadata },
    })),
  };
}

function total(item: NodeMetrics | PodMetrics, resource: 'cpu' | 'memory'): string {
  if ('usage' in item) return item.usage[resource];
  return item.containers.reduce((sum, { usage }) => sum.add(parseQuantity(usage[resource])), Quantity.zero).toString();
}
