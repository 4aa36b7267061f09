import { schemaOf } from '@coracle/api';
import { applyStrategicMergePatch, createThreeWayMergePatch, createTwoWayMergePatch } from '@coracle/apimachinery';
import { bench, describe } from 'vitest';
import { deployment } from './fixtures/deployment.js';

const schema = schemaOf('apps-v1/Deployment');
const live = deployment();
const patch = {
  metadata: { annotations: { 'kubernetes.io/change-cause': 'bench' } },
  spec: {
    replicas: 5,
    template: {
      spec: {
        '$setElementOrder/containers': [{ name: 'web' }, { name: 'sidecar' }],
        containers: [{ name: 'web', image: 'nginx:1.28', env: [{ name: 'MODE', value: 'fast' }] }],
        volumes: [{ name: 'cache', $retainKeys: ['name', 'emptyDir'], emptyDir: {} }],
      },
    },
  },
};
const modified = applyStrategicMergePatch(live, patch, schema);

describe('strategic merge of a 3 kB deployment (goal: under 40 µs)', () => {
  bench('apply a patch', () => {
    applyStrategicMergePatch(live, patch, schema);
  });
  bench('two-way diff', () => {
    createTwoWayMergePatch(live, modified, schema);
  });
  bench('three-way diff', () => {
    createThreeWayMergePatch({ original: live, modified, current: live }, schema);
  });
});
