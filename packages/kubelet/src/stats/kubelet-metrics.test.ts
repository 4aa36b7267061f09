import { ContainerState, PodSandboxState } from '@coracle/cri';
import { expect, test } from 'vitest';
import { podUidLabel } from '../runtime-labels.js';
import { renderFamilies } from './exposition.js';
import { kubeletStateFamilies } from './kubelet-metrics.js';
import { PodCounts } from './pod-counts.js';

const sandbox = (id: string, uid: string, state: PodSandboxState) => ({ id, state, labels: { [podUidLabel]: uid } });
const volume = { time: '', name: 'v', pvcRef: { name: 'data', namespace: 'shop' }, usedBytes: 3, capacityBytes: 2e6 };
const usage = (name: string) => ({
  podRef: { name, namespace: 'shop', uid: name },
  startTime: '',
  containers: [],
  volume: [volume, { time: '', name: 'scratch', usedBytes: 9 }],
});

test('the state of a kubelet as metrics', () => {
  const text = renderFamilies(
    kubeletStateFamilies({
      nodeName: 'n',
      pods: [
        { lifecycle: 'sync', isOrphan: false, isStatic: false },
        { lifecycle: 'sync', isOrphan: false, isStatic: true },
        { lifecycle: 'terminated', isOrphan: false, isStatic: false },
        { lifecycle: 'terminating', isOrphan: true, isStatic: false },
      ],
      sandboxes: [
        sandbox('a', '1', PodSandboxState.SANDBOX_NOTREADY),
        sandbox('b', '1', PodSandboxState.SANDBOX_READY),
        sandbox('c', '2', PodSandboxState.SANDBOX_NOTREADY),
      ],
      containers: [
        { state: ContainerState.CONTAINER_RUNNING },
        { state: ContainerState.CONTAINER_RUNNING },
        {},
        { state: ContainerState.CONTAINER_UNKNOWN },
      ],
      usage: [usage('a'), usage('b')],
    }),
  );
  expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
    'kubelet_active_pods{static=""} 1',
    'kubelet_active_pods{static="true"} 1',
    'kubelet_desired_pods{static=""} 2',
    'kubelet_desired_pods{static="true"} 1',
    'kubelet_node_name{node="n"} 1',
    'kubelet_running_containers{container_state="running"} 2',
    'kubelet_running_containers{container_state="created"} 1',
    'kubelet_running_containers{container_state="unknown"} 1',
    'kubelet_running_pods 1',
    'kubelet_volume_stats_capacity_bytes{namespace="shop",persistentvolumeclaim="data"} 2e+06',
    'kubelet_volume_stats_used_bytes{namespace="shop",persistentvolumeclaim="data"} 3',
    'kubelet_working_pods{config="desired",lifecycle="sync",static=""} 1',
    'kubelet_working_pods{config="desired",lifecycle="sync",static="true"} 1',
    'kubelet_working_pods{config="desired",lifecycle="terminated",static=""} 1',
    'kubelet_working_pods{config="orphan",lifecycle="terminating",static=""} 1',
  ]);
});

test('what a kubelet counts of its pods as metrics', () => {
  const counts = new PodCounts();
  counts.relisted(30);
  counts.synced('create', 5);
  counts.synced('create', 20_000);
  counts.ran(700);
  const lines = renderFamilies(counts.families()).split('\n');
  for (const line of [
    '# TYPE kubelet_pod_worker_duration_seconds histogram',
    'kubelet_pod_worker_duration_seconds_bucket{le="0.005",operation_type="create"} 1',
    'kubelet_pod_worker_duration_seconds_bucket{le="10",operation_type="create"} 1',
    'kubelet_pod_worker_duration_seconds_bucket{le="+Inf",operation_type="create"} 2',
    'kubelet_pod_worker_duration_seconds_sum{operation_type="create"} 20.005',
    'kubelet_pod_start_duration_seconds_bucket{le="0.5"} 0',
    'kubelet_pod_start_duration_seconds_bucket{le="1"} 1',
    'kubelet_pleg_relist_duration_seconds_bucket{le="0.025"} 0',
    'kubelet_pleg_relist_duration_seconds_bucket{le="0.05"} 1',
    'kubelet_pleg_relist_duration_seconds_count 1',
  ])
    expect(lines).toContain(line);
  expect(lines.join('\n')).not.toContain('started_containers_total');
});
