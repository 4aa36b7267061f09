import { schemaOf } from '@coracle/api';
import { applyConfiguration, trackUpdate } from '@coracle/apimachinery';
import { bench, describe } from 'vitest';
import { deployment, pod } from './fixtures/deployment.js';

const now = '2026-01-01T00:00:00Z';
const schema = schemaOf('apps-v1/Deployment');
const podSchema = schemaOf('core-v1/Pod');
const config = deployment();
const apply = { schema, manager: 'kubectl', force: false, apiVersion: 'apps/v1', now } as const;
const first = applyConfiguration({ ...apply, live: undefined, config }).object;
const scaled = { ...first, spec: { ...(first['spec'] as object), replicas: 5, paused: true } };
const managedFields = trackUpdate({ live: first, object: scaled, schema, manager: 'hpa', apiVersion: 'apps/v1', now });
/** Applied by one manager, and changed since by another. */
const live = { ...scaled, metadata: { ...(first['metadata'] as object), managedFields } };
const { replicas: _, ...unscaledSpec } = config.spec;
const again = { ...config, spec: unscaledSpec };
const { progressDeadlineSeconds: __, ...lessSpec } = unscaledSpec;
const less = { ...config, spec: { ...lessSpec, minReadySeconds: 5 } };
const update = { manager: 'kubelet', apiVersion: 'v1', now, schema: podSchema } as const;
const created = pod();
const stored = {
  ...created,
  metadata: { ...created.metadata, managedFields: trackUpdate({ ...update, live: undefined, object: created }) },
};
const running = { ...stored, status: { phase: 'Running', podIP: '10.0.0.1' } };

describe('server-side apply of a 3 kB deployment with one other manager (goal: under 150 µs)', () => {
  bench('that changes nothing', () => {
    applyConfiguration({ ...apply, live, config: again });
  });
  bench('that gives up a field', () => {
    applyConfiguration({ ...apply, live, config: less });
  });
});

describe('tracking of a 3 kB pod (goal: under 50 µs)', () => {
  bench('create', () => {
    trackUpdate({ ...update, live: undefined, object: created });
  });
  bench('update of the status', () => {
    trackUpdate({ ...update, live: stored, object: running, subresource: 'status' });
  });
});
