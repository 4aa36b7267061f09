import { isTerminalPod, type Pod, podResources, type ResourceSide } from '@coracle/api';
import { PrometheusMetrics } from '@coracle/base';

const metricNames = { requests: 'kube_pod_resource_request', limits: 'kube_pod_resource_limit' } as const;
const labels = ['namespace', 'pod', 'node', 'scheduler', 'priority', 'resource', 'unit'];
const about =
  'broken down by pod. This shows the resource usage the scheduler and kubelet expect per pod for resources along with the unit for the resource if any.';

/** The text of `/metrics/resources`: requests and limits of pods that have not ended. */
export function formatPodResources(pods: readonly Pod[]): string {
  const metrics = new PrometheusMetrics();
  const counted = pods.filter((pod) => !hasEnded(pod));
  show(metrics, counted, { side: 'requests', help: `Resources requested by workloads on the cluster, ${about}` });
  show(metrics, counted, { side: 'limits', help: `Resources limit for workloads on the cluster, ${about}` });
  return metrics.render();
}

/** An unscheduled pod has not ended, whatever its phase. */
function hasEnded(pod: Pod): boolean {
  return !!pod.spec?.nodeName && isTerminalPod(pod);
}

interface Shown {
  readonly side: ResourceSide;
  readonly help: string;
}

function show(metrics: PrometheusMetrics, pods: readonly Pod[], { side, help }: Shown): void {
  const gauge = metrics.gauge({ name: metricNames[side], help, labels });
  for (const { metadata, spec } of pods) {
    if (!spec) continue;
    const { namespace = '', name: pod = '' } = metadata;
    const { nodeName: node = '', schedulerName: scheduler = '', priority } = spec;
    const common = { namespace, pod, node, scheduler, priority: priority === undefined ? '' : String(priority) };
    for (const [resource, amount] of podResources(spec, side)) {
      const value = amount.toNumber();
      if (value !== 0) gauge.set(value, { ...common, resource, unit: unitOf(resource) });
    }
  }
}

const bytes: ReadonlySet<string> = new Set(['memory', 'storage', 'ephemeral-storage']);

/** Extended resources have no unit. */
function unitOf(resource: string): string {
  if (resource === 'cpu') return 'cores';
  if (bytes.has(resource) || resource.startsWith('hugepages-')) return 'bytes';
  return resource.startsWith('attachable-volumes-') ? 'integer' : '';
}
