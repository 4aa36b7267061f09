import type { WritingServer } from './writing-server.js';

/** Webhooks and policies that are installed, none of which matches the writes of this benchmark. */
export interface Setup {
  readonly name: string;
  /** What they match; the writes are to config maps in `default`. */
  readonly resource: string;
  /** Whether policies select their namespaces themselves, or their bindings do. */
  readonly selects: 'policies' | 'bindings';
  /** They are removed again before anything is measured: shows how far two equal figures lie apart. */
  readonly isControl?: boolean;
}

export const setups: readonly Setup[] = [
  { name: 'control: none at all', resource: 'configmaps', selects: 'policies', isControl: true },
  { name: 'for other resources', resource: 'secrets', selects: 'policies' },
  { name: 'for other namespaces', resource: 'configmaps', selects: 'policies' },
  { name: 'bound to other namespaces', resource: 'configmaps', selects: 'bindings' },
];

const count = 50;
const group = '/apis/admissionregistration.k8s.io/v1';

interface Configuration {
  readonly path: string;
  readonly name: string;
  readonly object: object;
}

export async function install(server: WritingServer, setup: Setup): Promise<void> {
  for (const { path, object } of configurationsOf(setup)) await server.create(path, object);
}

export async function remove(server: WritingServer, setup: Setup): Promise<void> {
  for (const { path, name } of configurationsOf(setup)) await server.delete(`${path}/${name}`);
}

/** Half of the webhooks and policies mutate, half validate. */
function configurationsOf({ resource, selects }: Setup): readonly Configuration[] {
  return Array.from({ length: count }, (_, i) => {
    const [kind, plural] = i % 2 === 0 ? (['Mutating', 'mutating'] as const) : (['Validating', 'validating'] as const);
    const name = `n${i}`;
    const one = (what: string, resourceName: string, rest: object) => ({
      path: `${group}/${plural}${resourceName}`,
      name,
      object: { apiVersion: 'admissionregistration.k8s.io/v1', kind: `${kind}${what}`, metadata: { name }, ...rest },
    });
    return [
      one('WebhookConfiguration', 'webhookconfigurations', webhooks(i, resource)),
      one('AdmissionPolicy', 'admissionpolicies', policy(kind, resource, selects === 'policies')),
      one('AdmissionPolicyBinding', 'admissionpolicybindings', binding(kind, i, selects === 'bindings')),
    ];
  }).flat();
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

function policy(kind: string, resource: string, isSelective: boolean): object {
  const matchConstraints = { resourceRules: rules(resource), ...(isSelective && { namespaceSelector }) };
  if (kind === 'Validating') return { spec: { matchConstraints, validations: [{ expression: 'false' }] } };
  const expression = 'Object{metadata: Object.metadata{labels: {"seen": "yes"}}}';
  const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
  return { spec: { matchConstraints, reinvocationPolicy: 'Never', mutations } };
}

function binding(kind: string, index: number, isSelective: boolean): object {
  return {
    spec: {
      policyName: `n${index}`,
      ...(kind === 'Validating' && { validationActions: ['Deny'] }),
      ...(isSelective && { matchResources: { namespaceSelector } }),
    },
  };
}
