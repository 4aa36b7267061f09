import type { Job, Pod } from '@coracle/api';
import { PrometheusMetrics } from '@coracle/base';
import { startCluster } from '@coracle/cluster';
import { describe, expect, test } from 'vitest';
import { JobMetrics } from './job-metrics.js';

const job = (status: Job['status'], completionMode = 'NonIndexed'): Job => ({
  metadata: { name: 'j' },
  spec: { template: { spec: { containers: [] } }, completionMode },
  ...(status && { status }),
});

const pod = (phase: string, tracked = true): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...(tracked && { finalizers: ['batch.kubernetes.io/job-tracking'] }) },
  status: { phase },
});

function start() {
  const metrics = new PrometheusMetrics();
  const lines = (name: string) =>
    metrics
      .render()
      .split('\n')
      .filter((line) => line.startsWith(`job_controller_${name}`))
      .map((line) => line.slice(`job_controller_${name}`.length));
  return { measured: new JobMetrics(metrics), lines };
}

describe('the metrics of jobs', () => {
  test('count and measure syncs', () => {
    const { measured, lines } = start();
    measured.synced(job(undefined), { action: 'pods_created', isError: false, tookMs: 5 });
    measured.synced(job(undefined, 'Indexed'), { action: 'reconciling', isError: true, tookMs: 100_000 });
    expect(lines('job_syncs_total')).toEqual([
      '{completion_mode="NonIndexed",result="success",action="pods_created"} 1',
      '{completion_mode="Indexed",result="error",action="reconciling"} 1',
    ]);
    const created = lines('job_sync_duration_seconds_bucket').filter((line) => line.includes('pods_created'));
    expect(created).toHaveLength(16);
    expect(created.slice(0, 2).map((line) => line.replace(/.*,le=/, ''))).toEqual(['"0.004"} 0', '"0.008"} 1']);
    expect(created.at(-2)).toContain('le="65.536"');
  });

  test('count pods once their number is in the status', () => {
    const { measured, lines } = start();
    measured.counted(job({ succeeded: 1 }), { succeeded: 3, failed: 1 });
    measured.counted(job({ succeeded: 3 }, 'Indexed'), { succeeded: 2 });
    expect(lines('job_pods_finished_total')).toEqual([
      '{completion_mode="NonIndexed",result="succeeded"} 2',
      '{completion_mode="NonIndexed",result="failed"} 1',
    ]);
  });

  test.each([
    ['appears, running', undefined, pod('Running'), []],
    ['ends', pod('Running'), pod('Failed'), ['{event="add"} 1']],
    ['appears when it has ended', undefined, pod('Succeeded'), ['{event="add"} 1']],
    ['stays as it is', pod('Succeeded'), pod('Succeeded'), []],
    ['is let go', pod('Succeeded'), pod('Succeeded', false), ['{event="delete"} 1']],
    ['is deleted', pod('Failed'), undefined, ['{event="delete"} 1']],
    ['is of no job', pod('Running', false), pod('Failed', false), []],
  ])('count a terminated pod that %s', (_name, before, after, expected) => {
    const { measured, lines } = start();
    measured.podChanged(before, after);
    expect(lines('terminated_pods_tracking_finalizer_total')).toEqual(expected);
  });

  test('are those of a cluster with jobs', async () => {
    await using cluster = await startCluster({ listen: false, nodes: 1, clock: 'virtual' });
    const run = (name: string, command: string[], backoffLimit: number) =>
      cluster.client.jobs('default').create({
        metadata: { name },
        spec: {
          backoffLimit,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command }] } },
        },
      });
    await run('good', ['true'], 0);
    await run('bad', ['false'], 0);
    await cluster.clock.advance('1m');
    const text = String((await cluster.client.raw('GET', '/metrics')).body);
    expect(text).toMatch(
      /^job_controller_job_syncs_total{completion_mode="NonIndexed",result="success",action="pods_created"} 2$/m,
    );
    expect(text).toMatch(/^job_controller_job_syncs_total{.*action="tracking"} \d/m);
    for (const [result, reason] of [
      ['succeeded', 'CompletionsReached'],
      ['failed', 'BackoffLimitExceeded'],
    ]) {
      const labels = `completion_mode="NonIndexed",result="${result}"`;
      expect(text).toContain(`job_controller_jobs_finished_total{${labels},reason="${reason}"} 1\n`);
      expect(text).toContain(`job_controller_job_pods_finished_total{${labels}} 1\n`);
    }
    for (const event of ['add', 'delete'])
      expect(text).toContain(`job_controller_terminated_pods_tracking_finalizer_total{event="${event}"} 2\n`);
  });
});
