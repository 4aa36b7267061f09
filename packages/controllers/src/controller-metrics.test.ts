import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';

test('controllers report the objects that they have created and deleted, their delays, and that they run', async () => {
  const ranges = [{ cidr: '10.244.0.0/24', maskSize: 26 }];
  await using cluster = await startCluster({ listen: false, nodes: 1, clock: 'virtual', nodeIpam: { ranges } });
  const { client } = cluster;
  const metrics = async () => String((await client.raw('GET', '/metrics')).body);
  await cluster.settled();
  expect(await metrics()).toContain('ephemeral_volume_controller_create_total 0\n');
  const template = (containers = [{ name: 'c', image: 'i', command: ['true'] }]) => ({
    spec: { restartPolicy: 'Never', containers },
  });
  await client.jobs('default').create({
    metadata: { name: 'short' },
    spec: { ttlSecondsAfterFinished: 10, template: template() },
  });
  await client.cronJobs('default').create({
    metadata: { name: 'often' },
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: template() } } },
  });
  const volumeClaimTemplate = {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const volumes = [{ name: 'scratch', ephemeral: { volumeClaimTemplate } }];
  const containers = [{ name: 'c', image: 'i' }];
  await client
    .persistentVolumeClaims('default')
    .create({ metadata: { name: 'taken-scratch' }, spec: volumeClaimTemplate.spec });
  for (const name of ['web', 'taken'])
    await client.pods('default').create({ metadata: { name }, spec: { containers, volumes } });
  await cluster.clock.advance('6m');
  const text = await metrics();
  const value = (series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1],
    );
  expect(value('ttl_after_finished_controller_job_deletion_duration_seconds_count')).toBe(1);
  expect(value('ttl_after_finished_controller_job_deletion_duration_seconds_sum')).toBeLessThan(2);
  expect(text).toContain('ttl_after_finished_controller_job_deletion_duration_seconds_bucket{le="819.2"} 1\n');
  expect(value('cronjob_controller_job_creation_skew_duration_seconds_count')).toBeGreaterThan(0);
  expect(value('cronjob_controller_job_creation_skew_duration_seconds_bucket{le="4"}')).toBeGreaterThan(0);
  expect(text).toContain('cronjob_controller_job_creation_skew_duration_seconds_bucket{le="512"}');
  expect(value('ephemeral_volume_controller_create_total')).toBe(1);
  expect(value('ephemeral_volume_controller_create_failures_total')).toBe(0);
  expect(text).toContain('running_managed_controllers{name="nodeipam",manager="kube-controller-manager"} 1\n');
});
