import type { WritingServer } from './writing-server.js';

export interface Setup {
  readonly name: string;
  readonly count: number;
  /** What the webhooks and policies are about; the writes of this benchmark are to config maps in `default`. */
  readonly resource: string;
  readonly isHeldToLimit: boolean;
}

export const setups: readonly Setup[] = [
  { name: 'no webhooks and policies', count: 0, resource: '', isHeldToLimit: false },
  { name: '50 webhooks and 50 policies, other resources', count: 50, resource: 'secrets', isHeldToLimit: true },
  { name: '50 webhooks and 50 policies, other namespaces', count: 50, resource: 'configmaps', isHeldToLimit: true },
];

const group = '/apis/admissionregistration.k8s.io/v1';

/** Half of the webhooks and policies mutate, half validate. */
export async function configure(server: WritingServer, { count, resource }: Setup): Promise<void> {
  for (let i = 0; i < count; i++) {
    const [kind, plural] = i % 2 === 0 ? ['Mutating', 'mutating'] : ['Validating', 'validating'];
    const named = (what: string, rest: object) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}${what}`,
      metadata: { name: `n${i}` },
      ...rest,
    });
    await server.create(
      `${group}/${plural}webhookconfigurations`,
      named('WebhookConfiguration', webhooks(i, resource)),
    );
    await server.create(`${group}/${plural}admissionpolicies`, named('AdmissionPolicy', policy(kind, resource)));
    await server.create(`${group}/${plural}admissionpolicybindings`, named('AdmissionPolicyBinding', binding(kind, i)));
  }
}

const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'elsewhere' } };
const rules = (resource: string) => [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: [resource] },
];

function webhooks(index: number, resource: string): object {
  const webhook = {
    name: `n${index}.example.com`,
    clientConfig: { url: 'https://127.0.0.1:1/' },
    rules: rules(resource),
    namespaceSelector,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  return { webhooks: [webhook] };
}

function policy(kind: string, resource: string): object {
  const matchConstraints = { resourceRules: rules(resource), namespaceSelector };
  if (kind === 'Validating') return { spec: { matchConstraints, validations: [{ expression: 'false' }] } };
  const expression = 'Object{metadata: Object.metadata{labels: {"seen": "yes"}}}';
  const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
  return { spec: { matchConstraints, reinvocationPolicy: 'Never', mutations } };
}

function binding(kind: string, index: number): object {
  return { spec: { policyName: `n${index}`, ...(kind === 'Validating' && { validationActions: ['Deny'] }) } };
}
