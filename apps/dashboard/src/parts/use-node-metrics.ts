import { useEffect, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import type { NodeMetrics } from '../model/node-use.js';

const none: NodeMetrics = new Map();
const everyMs = 15_000;

/** What nodes use, where the cluster measures it. Metrics cannot be watched, so they are requested now and then. */
export function useNodeMetrics(isShown: boolean): NodeMetrics {
  const { client, catalog } = useCluster();
  const [metrics, setMetrics] = useState(none);
  const served = catalog.find('nodes.metrics.k8s.io') !== undefined;
  useEffect(() => {
    if (!isShown || !served) return;
    let stopped = false;
    const ask = async () => {
      if (document.hidden) return;
      const { status, body } = await client.raw('GET', '/apis/metrics.k8s.io/v1beta1/nodes');
      if (status !== 200 || stopped) return;
      const { items } = body as { items?: { metadata: { name: string }; usage: Record<string, string> }[] };
      setMetrics(new Map((items ?? []).map(({ metadata, usage }) => [metadata.name, usage])));
    };
    const again = () => void ask().catch(() => {});
    again();
    const timer = setInterval(again, everyMs);
    return () => {
      stopped = true;
      clearInterval(timer);
    };
  }, [client, isShown, served]);
  return metrics;
}
