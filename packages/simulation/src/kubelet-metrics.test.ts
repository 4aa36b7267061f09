import { bodyBytes } from '@coracle/apimachinery';
import type { Kubelet } from '@coracle/kubelet';
import { expect, test } from 'vitest';
import { node, startTestNodes } from './nodes.fixture.js';

test('the kubelet of a simulated node counts its pods', async () => {
  const { clock, nodes, pods, run } = await startTestNodes();
  const page = async () => {
    const { server } = nodes.kubeletOf(node) as Kubelet;
    const { body } = await server.exchange({ method: 'GET', path: '/metrics', query: '', headers: {} });
    return new TextDecoder().decode(await bodyBytes(body));
  };
  expect(await page()).toContain('kubelet_running_pods 0\n');
  await run('web');
  await run('none', { containers: [{ name: 'c', image: 'nginx' }] }, { 'pull-error': 'not found' });
  await run('twice', {
    initContainers: [{ name: 'first', image: 'busybox' }],
    containers: [{ name: 'c', image: 'nginx' }],
  });
  await pods.delete('web');
  await clock.advance(40_000);
  const text = await page();
  for (const line of [
    `kubelet_node_name{node="${node}"} 1`,
    'kubelet_running_pods 2',
    'kubelet_running_containers{container_state="running"} 1',
    'kubelet_running_containers{container_state="exited"} 1',
    'kubelet_desired_pods{static=""} 2',
    'kubelet_active_pods{static=""} 2',
    'kubelet_working_pods{config="desired",lifecycle="sync",static=""} 2',
    'kubelet_started_pods_total 3',
    'kubelet_started_containers_total{container_type="init_container"} 1',
    'kubelet_pod_start_duration_seconds_bucket{le="0.5"} 2',
    'kubelet_pod_start_duration_seconds_count 2',
    'kubelet_pod_worker_duration_seconds_count{operation_type="create"} 3',
  ])
    expect(text.split('\n')).toContain(line);
  expect(text).toMatch(
    /kubelet_started_containers_errors_total\{code="ErrImagePull",container_type="container"\} [1-9]/,
  );
});
