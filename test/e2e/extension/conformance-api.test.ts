import { refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ApiCase, tryApiOperations } from '../api-operations.js';

const generateName = 'e2e-example-';
const lastTransitionTime = '2026-01-01T00:00:00Z';
const deployments = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] };
const matchConstraints = { resourceRules: [{ operations: ['CREATE'], ...deployments }] };
const clientConfig = { url: 'https://127.0.0.1:1/' };
const webhook = (i: number) => ({
  name: `hook-${i}.example.com`,
  clientConfig,
  rules: [{ operations: ['CREATE'], ...deployments }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  matchConditions: [{ name: 'other', expression: 'object.metadata.name != "skip-me"' }],
});
const rules = [
  {
    subjects: [{ kind: 'User', user: { name: 'example-e2e-user' } }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  },
];

const cases: readonly ApiCase[] = [
  {
    ref: refs.validatingAdmissionPolicies,
    statusKeepsMetadata: true,
    make: () => ({
      metadata: { generateName },
      spec: { validations: [{ expression: 'object.spec.replicas <= 100' }], matchConstraints },
    }),
    status: { conditions: [{ type: 'E2E', status: 'True', reason: 'Set', message: 'set', lastTransitionTime }] },
  },
  {
    ref: refs.validatingAdmissionPolicyBindings,
    make: () => ({
      metadata: { generateName },
      spec: { policyName: 'replicalimit-policy.example.com', validationActions: ['Deny'] },
    }),
  },
  {
    ref: refs.mutatingAdmissionPolicies,
    make: () => ({
      metadata: { generateName },
      spec: {
        reinvocationPolicy: 'Never',
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: 'Object{metadata: Object.metadata{annotations: {"my-foo": "value"}}}' },
          },
        ],
        matchConstraints,
      },
    }),
  },
  {
    ref: refs.mutatingAdmissionPolicyBindings,
    make: () => ({ metadata: { generateName }, spec: { policyName: 'replicalimit-policy.example.com' } }),
  },
  {
    ref: refs.validatingWebhookConfigurations,
    make: (i) => ({ metadata: { generateName }, webhooks: [webhook(i)] }),
  },
  { ref: refs.mutatingWebhookConfigurations, make: (i) => ({ metadata: { generateName }, webhooks: [webhook(i)] }) },
  {
    ref: refs.flowSchemas,
    statusKeepsMetadata: true,
    make: () => ({
      metadata: { generateName },
      spec: { matchingPrecedence: 10_000, priorityLevelConfiguration: { name: 'global-default' }, rules },
    }),
    status: { conditions: [{ type: 'E2E', status: 'True', reason: 'Set', message: 'set', lastTransitionTime }] },
  },
  {
    ref: refs.priorityLevelConfigurations,
    statusKeepsMetadata: true,
    make: () => ({
      metadata: { generateName },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 2, limitResponse: { type: 'Reject' } } },
    }),
    status: { conditions: [{ type: 'E2E', status: 'True', reason: 'Set', message: 'set', lastTransitionTime }] },
  },
  { ref: refs.serviceAccounts, make: (i) => ({ metadata: { name: `e2e-${i}` }, automountServiceAccountToken: false }) },
  {
    ref: refs.resourceQuotas,
    make: (i) => ({ metadata: { name: `e2e-${i}` }, spec: { hard: { cpu: '500m', memory: '500Mi' } } }),
    status: { hard: { memory: '750Mi' } },
  },
];

/** The steps of upstream's conformance tests of sig-api-machinery and sig-auth: API operations, the status among them. */
describe('resources of the API machinery as the conformance tests use them', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
  });
  afterAll(() => cluster?.stop());

  test.each(cases)('should support $ref.resource API operations', (one) => tryApiOperations(cluster, one));
});
