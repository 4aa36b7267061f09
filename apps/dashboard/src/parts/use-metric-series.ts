import type { KubeObject } from '@coracle/apimachinery';
import { useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { may } from '../model/access-rules.js';
import { type Measured, type MetricSeries, sampleOf, sumOf } from '../model/metric-series.js';
import { podSelectorOf } from '../model/pod-containers.js';
import type { AnyKube } from '../model/status-in-words.js';
import { useEvery } from './use-every.js';

/** The metrics server measures every 15 seconds; what it has measured already is not drawn again. */
const everyMs = 10_000;

/** Where the metrics of an object are: those of a node, of a pod, or of all pods that a workload selects. */
function addressOf(kind: string, object: AnyKube): { readonly key: string; readonly path: string } | undefined {
  const { namespace = '', name = '' } = object.metadata;
  const root = '/apis/metrics.k8s.io/v1beta1';
  if (kind === 'Node') return { key: `nodes/${name}`, path: `${root}/nodes/${name}` };
  const pods = `${root}/namespaces/${namespace}/pods`;
  // What does not run is not measured, and would be answered with an error.
  if (kind === 'Pod' && object.status?.phase !== 'Running') return undefined;
  if (kind === 'Pod') return { key: `pods/${namespace}/${name}`, path: `${pods}/${name}` };
  const selector = podSelectorOf(object);
  if (!selector) return undefined;
  return { key: `${kind}/${namespace}/${name}`, path: `${pods}?labelSelector=${encodeURIComponent(selector)}` };
}

/** The usage of an object since the page was opened. Undefined without metrics. */
export function useMetricSeries(kind: string, object: KubeObject): MetricSeries | undefined {
  const { client, catalog, access, metrics } = useCluster();
  const of = catalog.find(kind === 'Node' ? 'nodes.metrics.k8s.io' : 'pods.metrics.k8s.io');
  const address = of && may(access, 'get', of) ? addressOf(kind, object as AnyKube) : undefined;
  const [, setCount] = useState(0);
  const ask = async (signal: AbortSignal) => {
    if (!address) return;
    const { status, body } = await client.raw('GET', address.path, { signal });
    if (status !== 200 || signal.aborted) return;
    const { items = [body as Measured] } = body as { items?: readonly Measured[] };
    const sample = sumOf(items.map(sampleOf).filter((one) => one !== undefined));
    if (!sample) return;
    metrics.add(address.key, sample);
    setCount((count) => count + 1);
  };
  useEvery(everyMs, address ? ask : undefined, address?.path ?? '');
  return address && metrics.of(address.key);
}
