import { PrometheusMetrics, VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { measuredService } from './measured-runtime.js';

test('calls of a runtime are counted and timed by operation, streams are not', async () => {
  const clock = new VirtualClock();
  const metrics = new PrometheusMetrics();
  const runtime = measuredService(
    {
      runPodSandbox: async (id: string) => {
        await clock.advance(20);
        return id;
      },
      podSandboxStatus: async () => ({}),
      updateContainerResources: () => Promise.reject(new Error('busy')),
      getContainerEvents: () => [1],
    },
    { metrics, clock },
  );
  expect(await runtime.runPodSandbox('a')).toBe('a');
  await runtime.podSandboxStatus();
  await expect(runtime.updateContainerResources()).rejects.toThrow('busy');
  expect(runtime.getContainerEvents()).toEqual([1]);
  const page = metrics.render();
  const lines = page.split('\n');
  const prefix = 'kubelet_runtime_operations_';
  for (const line of [
    `${prefix}total{operation_type="run_podsandbox"} 1`,
    `${prefix}total{operation_type="podsandbox_status"} 1`,
    `${prefix}errors_total{operation_type="update_container"} 1`,
    `${prefix}duration_seconds_bucket{operation_type="run_podsandbox",le="0.0125"} 0`,
    `${prefix}duration_seconds_bucket{operation_type="run_podsandbox",le="0.03125"} 1`,
    `${prefix}duration_seconds_bucket{operation_type="run_podsandbox",le="745.0580596923828"} 1`,
    `${prefix}duration_seconds_count{operation_type="update_container"} 1`,
  ])
    expect(lines).toContain(line);
  expect(page).not.toContain('get_container_events');
});
