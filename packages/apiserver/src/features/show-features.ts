import type { Metrics } from '@coracle/base';
import type { FeatureGates } from './feature-gates.js';

/** Shows on `/metrics` which gates are on. A gate of a stable feature has no stage there. */
export function showFeatures(features: FeatureGates, metrics: Metrics): void {
  const gauge = metrics.gauge({
    name: 'kubernetes_feature_enabled',
    help: 'Features by name and stage: 1 if they are on.',
    labels: ['name', 'stage'],
  });
  for (const { name, stage, isOn } of features.all())
    gauge.set(isOn ? 1 : 0, { name, stage: stage === 'GA' ? '' : stage });
}
