import { PrometheusMetrics } from '@coracle/base';
import { startCluster } from '@coracle/cluster';
import { describe, expect, test } from 'vitest';
import { CidrMetrics } from './cidr-metrics.js';

const four = { cidr: '10.244.0.0/22', maskSize: 24 };
const six = { cidr: 'fd00:244::/60', maskSize: 64 };
const prefix = 'node_ipam_controller_';

function start() {
  const metrics = new PrometheusMetrics();
  const measured = new CidrMetrics(metrics, [four, six]);
  const value = (name: string, { cidr } = four) => {
    const start = `${prefix}${name}{clusterCIDR="${cidr}"} `;
    const line = metrics
      .render()
      .split('\n')
      .find((one) => one.startsWith(start));
    return line && Number(line.slice(start.length));
  };
  return { measured, value };
}

describe('the metrics of CIDRs of nodes', () => {
  test('show how many there are', () => {
    const { value } = start();
    expect([value('cirdset_max_cidrs'), value('cirdset_max_cidrs', six)]).toEqual([4, 16]);
  });

  test('count each CIDR once, when a node gets it and when it releases it', () => {
    const { measured, value } = start();
    measured.chosen(['10.244.0.0/24', 'fd00:244::/64']);
    measured.occupied(['10.244.0.0/24', 'fd00:244::/64']);
    measured.occupied(['10.244.3.0/24', '192.168.0.0/24']);
    expect([value('cidrset_cidrs_allocations_total'), value('cidrset_cidrs_allocations_total', six)]).toEqual([2, 1]);
    expect([value('cidrset_usage_cidrs'), value('cidrset_usage_cidrs', six)]).toEqual([0.5, 0.0625]);
    measured.released(['10.244.3.0/24']);
    measured.released(['10.244.3.0/24', '10.244.2.0/24']);
    expect(value('cidrset_cidrs_releases_total')).toBe(1);
    expect(value('cidrset_usage_cidrs')).toBe(0.25);
  });

  test('show how many were tried', () => {
    const { measured, value } = start();
    measured.chosen(['10.244.3.0/24', 'fd00:244:0:a::/64']);
    expect(value('cidrset_allocation_tries_per_request_sum')).toBe(3);
    expect(value('cidrset_allocation_tries_per_request_sum', six)).toBe(10);
  });

  test('follow the nodes of a cluster', async () => {
    await using cluster = await startCluster({
      listen: false,
      clock: 'virtual',
      nodes: 0,
      nodeIpam: { ranges: [four] },
    });
    const nodes = cluster.client.nodes();
    await nodes.create({ metadata: { name: 'own' }, spec: { podCIDR: '10.244.1.0/24', podCIDRs: ['10.244.1.0/24'] } });
    await nodes.create({ metadata: { name: 'new' } });
    await cluster.settled();
    await nodes.delete('own');
    await cluster.settled();
    const text = String((await cluster.client.raw('GET', '/metrics')).body);
    const labels = '{clusterCIDR="10.244.0.0/22"}';
    expect(text).toContain(`${prefix}cidrset_cidrs_allocations_total${labels} 2\n`);
    expect(text).toContain(`${prefix}cidrset_cidrs_releases_total${labels} 1\n`);
    expect(text).toContain(`${prefix}cidrset_usage_cidrs${labels} 0.25\n`);
    expect(text).toContain(`${prefix}cidrset_allocation_tries_per_request_count${labels} 1\n`);
  });
});
