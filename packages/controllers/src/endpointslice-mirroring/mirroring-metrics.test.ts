import { PrometheusMetrics } from '@coracle/base';
import { expect, test } from 'vitest';
import { MirroringMetrics } from './mirroring-metrics.js';

test('mirrored endpoints are counted with upstream’s metric names', () => {
  const metrics = new PrometheusMetrics();
  const counted = new MirroringMetrics(metrics);
  counted.planned({ added: 3, updated: 2, removed: 1 });
  counted.skipped(4);
  counted.took(1_500);
  const prefix = 'endpoint_slice_mirroring_controller';
  expect(metrics.render().split('\n')).toEqual(
    expect.arrayContaining([
      `${prefix}_endpoints_added_per_sync_sum 3`,
      `${prefix}_endpoints_updated_per_sync_sum 2`,
      `${prefix}_endpoints_removed_per_sync_sum 1`,
      `${prefix}_addresses_skipped_per_sync_sum 4`,
      `${prefix}_endpoints_sync_duration_sum 1.5`,
    ]),
  );
});
