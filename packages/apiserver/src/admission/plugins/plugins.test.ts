import type { Container, Node, Pod } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { deepCopy, seededRandom } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import type { Authorizer } from '../../authorization/authorizer.js';
import { MemoryObjects } from '../../memory-objects.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import { AdmissionChain } from '../admission-chain.js';
import { defaultIngressClass, defaultStorageClass } from './default-class.js';
import { defaultTolerationSeconds } from './default-toleration-seconds.js';
import { limitRanger } from './limit-ranger.js';
import { namespaceLifecycle } from './namespace-lifecycle.js';
import { podSecurity } from './pod-security.js';
import { priority } from './priority.js';
import { rbacEscalation } from './rbac-escalation.js';
import { runtimeClass } from './runtime-class.js';
import { serviceAccount } from './service-account.js';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.js';
import { taintNodesByCondition } from './taint-nodes-by-condition.js';

interface Write extends Partial<Omit<AdmissionAttributes, 'resource' | 'object'>> {
  /** `group/resource` or a resource of the core. */
  readonly resource?: string;
  readonly object?: object;
}

/** What becomes of an object, or the words of the refusal. */
async function admit(
  plugin: AdmissionPlugin,
  { resource: full = 'pods', object, ...more }: Write,
): Promise<{ object?: Record<string, unknown>; error?: string; warnings: string[] }> {
  const [resource = '', group = ''] = full.split('/').reverse();
  const warnings: string[] = [];
  const copy = deepCopy(object) as KubeObject | undefined;
  const attributes: AdmissionAttributes = {
    operation: 'CREATE',
    resource: { group, version: 'v1', resource },
    kind: { group, version: 'v1', kind: copy?.kind ?? 'Pod' },
    subresource: '',
    namespace: 'default',
    name: copy?.metadata?.name ?? '',
    object: copy,
    oldObject: undefined,
    options: {},
    dryRun: false,
    user: { name: 'jane', groups: ['dev'] },
    warn: (message) => void warnings.push(message),
    ...more,
  };
  const chain = new AdmissionChain([plugin]);
  try {
    await chain.mutate(attributes);
    await chain.validate(attributes);
  } catch (error) {
    return { error: (error as Error).message, warnings };
  }
  return { object: copy as unknown as Record<string, unknown>, warnings };
}

function pod(spec: Partial<Pod['spec'] & object> = {}, metadata: object = {}): Pod {
  return {
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', ...metadata },
    spec: { containers: [{ name: 'c' }], ...spec },
  };
}

const thing = (kind: string, name: string, more: object = {}): KubeObject =>
  ({ kind, metadata: { name }, ...more }) as KubeObject;

describe('ADM NamespaceLifecycle', () => {
  const plugin = namespaceLifecycle({
    objects: new MemoryObjects([
      thing('Namespace', 'default'),
      thing('Namespace', 'leaving', { status: { phase: 'Terminating' } }),
    ]),
  });
  const cases: { name: string; write: Write; error?: string }[] = [
    { name: 'lets things into a namespace that is there', write: { object: pod() } },
    {
      name: 'lets nothing into one that is not',
      write: { object: pod(), namespace: 'gone' },
      error: 'namespaces "gone" not found',
    },
    {
      name: 'lets nothing new into one that goes',
      write: { object: pod(), namespace: 'leaving' },
      error: 'pods "p" is forbidden: unable to create new content in namespace leaving because it is being terminated',
    },
    { name: 'lets things there change', write: { object: pod(), namespace: 'leaving', operation: 'UPDATE' } },
    { name: 'lets everything go', write: { namespace: 'gone', operation: 'DELETE' } },
    {
      name: 'lets anybody ask',
      write: {
        namespace: 'gone',
        resource: 'authorization.k8s.io/localsubjectaccessreviews',
        object: thing('LocalSubjectAccessReview', ''),
      },
    },
    {
      name: 'keeps namespaces that must stay',
      write: {
        resource: 'namespaces',
        namespace: '',
        operation: 'DELETE',
        name: 'kube-system',
        kind: { group: '', version: 'v1', kind: 'Namespace' },
      },
      error: 'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    },
    {
      name: 'lets others go',
      write: {
        resource: 'namespaces',
        namespace: '',
        operation: 'DELETE',
        name: 'mine',
        kind: { group: '', version: 'v1', kind: 'Namespace' },
      },
    },
  ];

  test.each(cases)('$name', async ({ write, error }) => {
    expect((await admit(plugin, write)).error).toBe(error);
  });
});

describe('ADM LimitRanger', () => {
  const range = (...limits: object[]) =>
    limitRanger({
      objects: new MemoryObjects([
        {
          kind: 'LimitRange',
          metadata: { name: 'r', namespace: 'default' },
          spec: { limits },
        } as unknown as KubeObject,
      ]),
    });
  const asking = (requests?: object, limits?: object) =>
    pod({
      containers: [{ name: 'c', resources: { ...(requests && { requests }), ...(limits && { limits }) } } as Container],
    });

  test('fills in what is not said, and notes it', async () => {
    const plugin = range({ type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '100m' } });
    const { object } = await admit(plugin, { object: asking({ cpu: '200m' }, { memory: '2Gi' }) });

    expect(object).toMatchObject({
      metadata: { annotations: { 'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu limit for container c' } },
      spec: { containers: [{ resources: { requests: { cpu: '200m' }, limits: { cpu: '1', memory: '2Gi' } } }] },
    });
  });

  test('fills in what is called as every object inherits', async () => {
    const { object } = await admit(range({ type: 'Container', default: { constructor: '1' } }), { object: asking() });

    expect(object).toMatchObject({ spec: { containers: [{ resources: { limits: { constructor: '1' } } }] } });
  });

  const cases: { name: string; item: object; object: Pod; error?: string }[] = [
    { name: 'enough', item: { type: 'Container', min: { cpu: '100m' } }, object: asking({ cpu: '100m' }) },
    {
      name: 'too little',
      item: { type: 'Container', min: { cpu: '100m' } },
      object: asking({ cpu: '50m' }),
      error: 'minimum cpu usage per Container is 100m, but request is 50m',
    },
    {
      name: 'nothing said',
      item: { type: 'Container', min: { cpu: '100m' } },
      object: asking(),
      error: 'minimum cpu usage per Container is 100m.  No request is specified',
    },
    {
      name: 'a limit too low',
      item: { type: 'Container', min: { cpu: '100m' } },
      object: asking({ cpu: '100m' }, { cpu: '50m' }),
      error: 'minimum cpu usage per Container is 100m, but limit is 50m',
    },
    {
      name: 'a limit too high',
      item: { type: 'Container', max: { memory: '1Gi' } },
      object: asking({}, { memory: '2Gi' }),
      error: 'maximum memory usage per Container is 1Gi, but limit is 2Gi',
    },
    {
      name: 'no limit at all',
      item: { type: 'Container', max: { memory: '1Gi' } },
      object: asking({}),
      error: 'maximum memory usage per Container is 1Gi.  No limit is specified',
    },
    {
      name: 'too far apart',
      item: { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      object: asking({ cpu: '1' }, { cpu: '3' }),
      error: 'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
    },
    {
      name: 'a pod as a whole',
      item: { type: 'Pod', max: { cpu: '1' } },
      object: pod({
        containers: [
          { name: 'a', resources: { limits: { cpu: '600m' } } },
          { name: 'b', resources: { limits: { cpu: '600m' } } },
        ],
      }),
      error: 'maximum cpu usage per Pod is 1, but limit is 1200m',
    },
  ];

  test.each(cases)('$name', async ({ item, object, error }) => {
    expect((await admit(range(item), { object })).error).toBe(error && `pods "p" is forbidden: ${error}`);
  });

  test('several breaches are said together', async () => {
    const { error } = await admit(range({ type: 'Container', min: { cpu: '1', memory: '1Gi' } }), { object: asking() });

    expect(error).toBe(
      'pods "p" is forbidden: [minimum cpu usage per Container is 1.  No request is specified, minimum memory usage per Container is 1Gi.  No request is specified]',
    );
  });
});

describe('SA ServiceAccount admission', () => {
  const account = (more: object = {}) =>
    ({ kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' }, ...more }) as KubeObject;
  const plugin = (...objects: KubeObject[]) =>
    serviceAccount({ objects: new MemoryObjects(objects), random: seededRandom(1) });

  test('gives a pod the account `default`, and mounts its token', async () => {
    const { object } = await admit(plugin(account()), { object: pod() });

    const name = expect.stringMatching(/^kube-api-access-[a-z0-9]{5}$/);
    expect(object).toMatchObject({
      spec: {
        serviceAccountName: 'default',
        volumes: [
          {
            name,
            projected: {
              defaultMode: 420,
              sources: [
                { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
                { configMap: { name: 'kube-root-ca.crt' } },
                {},
              ],
            },
          },
        ],
        containers: [
          { volumeMounts: [{ name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
        ],
      },
    });
  });

  test.each([
    { name: 'the account says no', account: { automountServiceAccountToken: false }, spec: {}, mounts: false },
    { name: 'the pod says no', account: {}, spec: { automountServiceAccountToken: false }, mounts: false },
    {
      name: 'the pod has the last word',
      account: { automountServiceAccountToken: false },
      spec: { automountServiceAccountToken: true },
      mounts: true,
    },
    {
      name: 'the container has something there already',
      account: {},
      spec: {
        containers: [
          { name: 'c', volumeMounts: [{ name: 'own', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
        ],
      },
      mounts: false,
    },
  ])('a token volume: $name', async ({ account: more, spec, mounts }) => {
    const { object } = await admit(plugin(account(more)), { object: pod(spec) });

    expect((object as unknown as Pod).spec?.volumes !== undefined).toBe(mounts);
  });

  test('hands down what images are pulled with, unless the pod says so itself', async () => {
    const of = plugin(account({ imagePullSecrets: [{ name: 'a' }] }));
    const own = pod({ imagePullSecrets: [{ name: 'b' }] });

    expect([(await admit(of, { object: pod() })).object, (await admit(of, { object: own })).object]).toMatchObject([
      { spec: { imagePullSecrets: [{ name: 'a' }] } },
      { spec: { imagePullSecrets: [{ name: 'b' }] } },
    ]);
  });

  const strict = account({
    metadata: {
      name: 'default',
      namespace: 'default',
      annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' },
    },
    secrets: [{ name: 'ok' }],
  });
  const secretEnv = { name: 'X', valueFrom: { secretKeyRef: { name: 'no', key: 'k' } } };
  const cases: { name: string; objects: KubeObject[]; object: Pod; error: string }[] = [
    {
      name: 'an account that is not there',
      objects: [],
      object: pod({ serviceAccountName: 'bot' }),
      error: 'error looking up service account default/bot: serviceaccount "bot" not found',
    },
    {
      name: 'a mirror pod with an account',
      objects: [],
      object: pod({ serviceAccountName: 'x' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
      error: 'a mirror pod may not reference service accounts',
    },
    {
      name: 'a mirror pod with a secret',
      objects: [],
      object: pod(
        { volumes: [{ name: 'v', secret: { secretName: 's' } }] },
        { annotations: { 'kubernetes.io/config.mirror': 'x' } },
      ),
      error: 'a mirror pod may not reference secrets',
    },
    {
      name: 'a secret that the account does not list',
      objects: [strict],
      object: pod({ volumes: [{ name: 'v', secret: { secretName: 'no' } }] }),
      error:
        'volume with secret.secretName="no" is not allowed because service account default does not reference that secret',
    },
    {
      name: 'the same in the environment',
      objects: [strict],
      object: pod({ containers: [{ name: 'c', env: [secretEnv] }] }),
      error:
        'container c with envVar X referencing secret.secretName="no" is not allowed because service account default does not reference that secret',
    },
    {
      name: 'the same to pull images',
      objects: [strict],
      object: pod({ imagePullSecrets: [{ name: 'no' }] }),
      error:
        'imagePullSecret="no" is not allowed because service account default does not reference that imagePullSecret',
    },
  ];

  test.each(cases)('refuses $name', async ({ objects, object, error }) => {
    expect((await admit(plugin(...objects), { object })).error).toBe(`pods "p" is forbidden: ${error}`);
  });
});

describe('ADM Priority', () => {
  const classOf = (name: string, value: number, more: object = {}) => thing('PriorityClass', name, { value, ...more });
  const plugin = priority({
    objects: new MemoryObjects([
      classOf('high', 1000, { preemptionPolicy: 'Never' }),
      classOf('usual', 10, { globalDefault: true }),
    ]),
  });

  test.each([
    {
      name: 'a class by name',
      object: pod({ priorityClassName: 'high' }),
      spec: { priority: 1000, preemptionPolicy: 'Never' },
    },
    {
      name: 'the default class',
      object: pod(),
      spec: { priorityClassName: 'usual', priority: 10, preemptionPolicy: 'PreemptLowerPriority' },
    },
    {
      name: 'a number that is right',
      object: pod({ priorityClassName: 'high', priority: 1000 }),
      spec: { priority: 1000 },
    },
  ])('$name', async ({ object, spec }) => {
    expect((await admit(plugin, { object })).object).toMatchObject({ spec });
  });

  test.each([
    {
      name: 'an unknown class',
      write: { object: pod({ priorityClassName: 'none' }) },
      error: 'pods "p" is forbidden: no PriorityClass with name none was found',
    },
    {
      name: 'a number of one’s own',
      write: { object: pod({ priorityClassName: 'high', priority: 5 }) },
      error:
        'pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
    },
    {
      name: 'a second default',
      write: {
        resource: 'scheduling.k8s.io/priorityclasses',
        namespace: '',
        object: classOf('mine', 1, { globalDefault: true }),
      },
      error:
        'priorityclasses.scheduling.k8s.io "mine" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
    },
  ])('refuses $name', async ({ write, error }) => {
    expect((await admit(plugin, write)).error).toBe(error);
  });
});

describe('ADM DefaultTolerationSeconds', () => {
  const keysOf = async (tolerations: object[]) =>
    (
      (await admit(defaultTolerationSeconds, { object: pod({ tolerations } as never) })).object as unknown as Pod
    ).spec?.tolerations?.map(({ key, tolerationSeconds }) => [key, tolerationSeconds]);
  const [notReady, unreachable] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

  test.each([
    {
      name: 'five minutes for both',
      given: [],
      keys: [
        [notReady, 300],
        [unreachable, 300],
      ],
    },
    {
      name: 'not where something is said',
      given: [{ key: notReady, operator: 'Exists', tolerationSeconds: 5 }],
      keys: [
        [notReady, 5],
        [unreachable, 300],
      ],
    },
    { name: 'not where everything is tolerated', given: [{ operator: 'Exists' }], keys: [[undefined, undefined]] },
    {
      name: 'another effect says nothing',
      given: [{ key: notReady, effect: 'NoSchedule' }],
      keys: [
        [notReady, undefined],
        [notReady, 300],
        [unreachable, 300],
      ],
    },
  ])('$name', async ({ given, keys }) => {
    expect(await keysOf(given)).toEqual(keys);
  });
});

describe('ADM default classes', () => {
  const storage = (name: string, creationTimestamp: string) =>
    ({
      kind: 'StorageClass',
      metadata: { name, creationTimestamp, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    }) as KubeObject;
  const claim = (spec: object) => ({ kind: 'PersistentVolumeClaim', metadata: { name: 'c' }, spec });
  const classOf = async (objects: KubeObject[], spec: object) =>
    (
      (
        await admit(defaultStorageClass({ objects: new MemoryObjects(objects) }), {
          resource: 'persistentvolumeclaims',
          object: claim(spec),
        })
      ).object as unknown as { spec: { storageClassName?: string } }
    ).spec.storageClassName;

  test('of storage: the youngest; none where one is named, even by nothing', async () => {
    const both = [storage('old', '2026-01-01T00:00:00Z'), storage('new', '2026-01-02T00:00:00Z')];

    expect([await classOf(both, {}), await classOf(both, { storageClassName: '' }), await classOf([], {})]).toEqual([
      'new',
      '',
      undefined,
    ]);
  });

  test('of ingresses: one, not several', async () => {
    const ingressClass = (name: string) =>
      ({
        kind: 'IngressClass',
        metadata: { name, annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
      }) as KubeObject;
    const run = (...objects: KubeObject[]) =>
      admit(defaultIngressClass({ objects: new MemoryObjects(objects) }), {
        resource: 'networking.k8s.io/ingresses',
        object: { kind: 'Ingress', metadata: { name: 'i' }, spec: {} },
      });

    expect((await run(ingressClass('a'))).object).toMatchObject({ spec: { ingressClassName: 'a' } });
    expect((await run(ingressClass('a'), ingressClass('b'))).error).toBe(
      'ingresses.networking.k8s.io "i" is forbidden: 2 default IngressClasses were found, only 1 allowed',
    );
  });
});

describe('ADM RuntimeClass', () => {
  const plugin = runtimeClass({
    objects: new MemoryObjects([
      thing('RuntimeClass', 'kata', {
        handler: 'kata',
        overhead: { podFixed: { cpu: '100m' } },
        scheduling: { nodeSelector: { kata: 'yes' }, tolerations: [{ key: 'kata', operator: 'Exists' }] },
      }),
    ]),
  });

  test('adds overhead, selector and tolerations', async () => {
    const { object } = await admit(plugin, { object: pod({ runtimeClassName: 'kata', nodeSelector: { a: 'b' } }) });

    expect(object).toMatchObject({
      spec: {
        overhead: { cpu: '100m' },
        nodeSelector: { a: 'b', kata: 'yes' },
        tolerations: [{ key: 'kata', operator: 'Exists' }],
      },
    });
  });

  test.each([
    {
      name: 'an unknown class',
      spec: { runtimeClassName: 'none' },
      error: 'pod rejected: RuntimeClass "none" not found',
    },
    {
      name: 'another overhead',
      spec: { runtimeClassName: 'kata', overhead: { cpu: '1' } },
      error: "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    },
    {
      name: 'overhead without a class',
      spec: { overhead: { cpu: '1' } },
      error: 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    },
    {
      name: 'a selector that contradicts',
      spec: { runtimeClassName: 'kata', nodeSelector: { kata: 'no' } },
      error: 'conflict: runtimeClass.scheduling.nodeSelector[kata] = yes; pod.spec.nodeSelector[kata] = no',
    },
  ])('refuses $name', async ({ spec, error }) => {
    expect((await admit(plugin, { object: pod(spec) })).error).toBe(`pods "p" is forbidden: ${error}`);
  });
});

describe('ADM PodSecurity', () => {
  const namespace = (labels: Record<string, string>) =>
    podSecurity({
      objects: new MemoryObjects([
        {
          kind: 'Namespace',
          metadata: {
            name: 'default',
            labels: Object.fromEntries(
              Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
            ),
          },
        },
      ]),
    });
  const bad = pod({ hostNetwork: true });
  const fault = 'host namespaces (hostNetwork=true)';

  test.each([
    { name: 'a namespace without labels takes everything', labels: {}, error: undefined, warnings: [] },
    {
      name: 'a level is enforced',
      labels: { enforce: 'baseline' },
      error: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${fault}`,
      warnings: [],
    },
    {
      name: 'a version is named',
      labels: { enforce: 'baseline', 'enforce-version': 'v1.36' },
      error: `pods "p" is forbidden: violates PodSecurity "baseline:v1.36": ${fault}`,
      warnings: [],
    },
    {
      name: 'a level is warned about',
      labels: { warn: 'baseline' },
      error: undefined,
      warnings: [`would violate PodSecurity "baseline:latest": ${fault}`],
    },
  ])('$name', async ({ labels, error, warnings }) => {
    const result = await admit(namespace(labels as Record<string, string>), { object: bad });

    expect({ error: result.error, warnings: result.warnings }).toEqual({ error, warnings });
  });

  test('templates are warned about, never refused', async () => {
    const object = { kind: 'Deployment', metadata: { name: 'd' }, spec: { template: { spec: bad.spec } } };
    const result = await admit(namespace({ enforce: 'baseline', warn: 'baseline' }), {
      resource: 'apps/deployments',
      object,
    });

    expect({ error: result.error, count: result.warnings.length }).toEqual({ error: undefined, count: 1 });
  });

  test('an old pod is judged again only when its containers change', async () => {
    const plugin = namespace({ enforce: 'baseline' });
    const update = (object: Pod) => admit(plugin, { object, oldObject: bad, operation: 'UPDATE' });

    expect((await update({ ...bad, metadata: { ...bad.metadata, labels: { a: 'b' } } })).error).toBeUndefined();
    expect((await update(pod({ hostNetwork: true, containers: [{ name: 'c', image: 'new' }] }))).error).toContain(
      fault,
    );
  });
});

describe('ADM RBAC escalation', () => {
  const held = [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }];
  function plugin(allowed: string[] = [], objects: KubeObject[] = []): AdmissionPlugin {
    const authorizer: Authorizer = {
      name: 'test',
      authorize: ({ verb, resource, name }) => ({
        kind: allowed.includes(`${verb} ${resource} ${name}`) ? 'allow' : 'no-opinion',
        reason: '',
      }),
      rulesFor: () => ({ resourceRules: held, nonResourceRules: [], incomplete: false }),
    };
    return rbacEscalation({ objects: new MemoryObjects(objects), authorizer });
  }
  const rule = (verb: string) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] });
  const role = (...verbs: string[]) => thing('ClusterRole', 'r', { rules: verbs.map(rule) });
  const binding = thing('ClusterRoleBinding', 'b', { roleRef: { kind: 'ClusterRole', name: 'r' }, subjects: [] });
  const roles = { resource: 'rbac.authorization.k8s.io/clusterroles', namespace: '' };
  const bindings = { resource: 'rbac.authorization.k8s.io/clusterrolebindings', namespace: '' };
  const refusal =
    'user "jane" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}';
  const cases: { name: string; plugin: AdmissionPlugin; write: Write; error?: string }[] = [
    { name: 'one grants what one has', plugin: plugin(), write: { ...roles, object: role('get') } },
    {
      name: 'and no more',
      plugin: plugin(),
      write: { ...roles, object: role('get', 'delete') },
      error: `clusterroles.rbac.authorization.k8s.io "r" is forbidden: ${refusal}`,
    },
    {
      name: 'unless one may escalate',
      plugin: plugin(['escalate clusterroles r']),
      write: { ...roles, object: role('delete') },
    },
    {
      name: 'what stays as it was is not asked about',
      plugin: plugin(),
      write: { ...roles, operation: 'UPDATE', object: role('delete'), oldObject: role('delete') },
    },
    {
      name: 'administrators are not asked',
      plugin: plugin(),
      write: { ...roles, object: role('delete'), user: { name: 'root', groups: ['system:masters'] } },
    },
    {
      name: 'to aggregate one must have everything',
      plugin: plugin(),
      write: { ...roles, object: thing('ClusterRole', 'r', { aggregationRule: { clusterRoleSelectors: [] } }) },
      error:
        'clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    },
    { name: 'one binds what one has', plugin: plugin([], [role('list')]), write: { ...bindings, object: binding } },
    {
      name: 'and no more',
      plugin: plugin([], [role('delete')]),
      write: { ...bindings, object: binding },
      error: `clusterrolebindings.rbac.authorization.k8s.io "b" is forbidden: ${refusal}`,
    },
    {
      name: 'unless one may bind it',
      plugin: plugin(['bind clusterroles r'], [role('delete')]),
      write: { ...bindings, object: binding },
    },
    {
      name: 'a role that is not there cannot be bound',
      plugin: plugin(),
      write: { ...bindings, object: binding },
      error: 'clusterroles.rbac.authorization.k8s.io "r" not found',
    },
  ];

  test.each(cases)('$name', async ({ plugin: one, write, error }) => {
    expect((await admit(one, write)).error).toBe(error);
  });
});

describe('what new objects get', () => {
  test('a node is not ready', async () => {
    const { object } = await admit(taintNodesByCondition, {
      resource: 'nodes',
      namespace: '',
      object: thing('Node', 'n'),
    });

    expect((object as unknown as Node).spec?.taints).toEqual([
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    ]);
  });

  test('a claim is protected while it is used, once', async () => {
    const claim = thing('PersistentVolumeClaim', 'c');
    const first = await admit(storageObjectInUseProtection, { resource: 'persistentvolumeclaims', object: claim });
    const second = await admit(storageObjectInUseProtection, {
      resource: 'persistentvolumeclaims',
      object: first.object as object,
    });

    expect(second.object).toMatchObject({ metadata: { finalizers: ['kubernetes.io/pvc-protection'] } });
  });
});
