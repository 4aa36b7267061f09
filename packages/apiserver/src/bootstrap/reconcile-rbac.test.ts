import { refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { accessTo } from '../authorization/access.fixture.js';
import { type PolicyRule, ruleAllows } from '../authorization/rbac/rule-match.js';
import { MemoryObjects } from '../memory-objects.fixture.js';
import { reconcileRbac } from './reconcile-rbac.js';

describe('AUTHZ default roles', () => {
  /** Reconciles the existing objects, and returns what was written: `create x`, `update x`. */
  async function reconcile(...present: KubeObject[]) {
    const objects = new MemoryObjects(present);
    const log: string[] = [];
    const writer = {
      create: async <T extends KubeObject>(_ref: unknown, object: T) => {
        objects.put(object);
        log.push(`create ${object.kind} ${object.metadata.name}`);
        return object;
      },
      update: async (
        ref: ResourceRef<KubeObject>,
        namespace: string,
        name: string,
        change: (one: KubeObject) => KubeObject,
      ) => {
        const changed = change(objects.get(ref, namespace, name) as KubeObject);
        objects.put(changed);
        log.push(`update ${changed.kind} ${name}`);
        return changed;
      },
    };
    await reconcileRbac({ objects, writer: writer as never, isServed: () => false });
    return { objects, log };
  }

  test('are all created in a new cluster, and unchanged after that', async () => {
    const { objects, log } = await reconcile();
    expect(log).toContain('create ClusterRole cluster-admin');
    expect(log.every((line) => line.startsWith('create'))).toBe(true);

    const all = [refs.clusterRoles, refs.clusterRoleBindings, refs.roles, refs.roleBindings].flatMap((ref) => [
      ...objects.list<KubeObject>(ref as ResourceRef<KubeObject>),
    ]);
    expect((await reconcile(...all)).log).toEqual([]);
  });

  const discovery = (rules: PolicyRule[], annotations: Record<string, string> = {}): KubeObject =>
    ({ kind: 'ClusterRole', metadata: { name: 'system:discovery', annotations }, rules }) as KubeObject;
  const own: PolicyRule = { verbs: ['get'], nonResourceURLs: ['/mine'] };

  test('get missing rules back, and keep added ones', async () => {
    const { objects, log } = await reconcile(discovery([own]));
    expect(log).toContain('update ClusterRole system:discovery');

    const { rules = [] } = objects.get(refs.clusterRoles, '', 'system:discovery') ?? {};
    expect(rules[0]).toEqual(own);
    expect(rules.some((one) => ruleAllows(one, accessTo('get /healthz')))).toBe(true);
  });

  test('are not touched when they say so', async () => {
    const { log } = await reconcile(discovery([own], { 'rbac.authorization.kubernetes.io/autoupdate': 'false' }));

    expect(log).not.toContain('update ClusterRole system:discovery');
  });

  test('bindings get their subjects back, and keep others', async () => {
    const eve = { kind: 'User', name: 'eve' };
    const { objects } = await reconcile({
      kind: 'ClusterRoleBinding',
      metadata: { name: 'cluster-admin' },
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [eve],
    } as KubeObject);

    expect(objects.get(refs.clusterRoleBindings, '', 'cluster-admin')?.subjects).toMatchObject([
      eve,
      { kind: 'Group', name: 'system:masters' },
    ]);
  });
});
