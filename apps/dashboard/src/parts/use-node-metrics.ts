import { useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { type Measured, sampleOf } from '../model/metric-series.js';
import type { NodeMetrics } from '../model/node-use.js';
import { useEvery } from './use-every.js';

const none: NodeMetrics = new Map();
const everyMs = 15_000;

interface NodeMeasured extends Measured {
  readonly metadata: { readonly name: string };
}

/** Usage of nodes, if the cluster measures it. Metrics cannot be watched, so they are polled. */
export function useNodeMetrics(isShown: boolean): NodeMetrics {
  const { client, catalog, metrics: history } = useCluster();
  const [metrics, setMetrics] = useState(none);
  const served = catalog.find('nodes.metrics.k8s.io') !== undefined;
  const ask = async (signal: AbortSignal) => {
    const { status, body } = await client.raw('GET', '/apis/metrics.k8s.io/v1beta1/nodes', { signal });
    if (status !== 200 || signal.aborted) return;
    const { items = [] } = body as { items?: readonly NodeMeasured[] };
    for (const one of items) {
      const sample = sampleOf(one);
      if (sample) history.add(`nodes/${one.metadata.name}`, sample);
    }
    setMetrics(new Map(items.map(({ metadata, usage }) => [metadata.name, usage ?? {}])));
  };
  useEvery(everyMs, isShown && served ? ask : undefined, String(isShown && served));
  return metrics;
}
