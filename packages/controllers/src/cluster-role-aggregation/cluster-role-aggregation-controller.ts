import { type ClusterRole, type rbacv1, refs } from '@coracle/api';
import { LabelSelector } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { type Controller, runKeyed } from '../controller.js';

/** Aggregates the rules of roles by label into roles such as `view`. */
export const clusterRoleAggregationController: Controller = {
  name: 'clusterrole-aggregation-controller',
  start(context) {
    const { client, informers } = context;
    const roles = informers.for(refs.clusterRoles);
    return runKeyed(context, {
      name: 'clusterrole-aggregation',
      workers: 1,
      watch: (queue) => [
        // Any role may be part of any aggregated role.
        roles.addHandler(() => {
          for (const role of roles.list()) if (role.aggregationRule) queue.add(role.metadata.name ?? '');
        }),
      ],
      reconcile: async (name) => {
        const role = roles.get(name);
        if (!role?.aggregationRule) return;
        const rules = aggregateRules(role, roles.list());
        if (deepEqual(role.rules ?? [], rules)) return;
        const object = {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name },
          // Without matching roles nothing is applied, so that rules of other field managers stay.
          ...(rules.length > 0 && { rules }),
        };
        await client
          .resource(refs.clusterRoles)
          .apply(object, { fieldManager: 'clusterrole-aggregation-controller', force: true });
      },
    });
  },
};

/** The rules of all roles that the aggregation selects, each once, in the order of the roles' names. */
export function aggregateRules(
  { metadata, aggregationRule }: ClusterRole,
  roles: readonly ClusterRole[],
): rbacv1.PolicyRule[] {
  const sorted = [...roles].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const rules: rbacv1.PolicyRule[] = [];
  for (const selector of aggregationRule?.clusterRoleSelectors ?? []) {
    const matcher = LabelSelector.fromObject(selector);
    for (const role of sorted) {
      if (role.metadata.name === metadata.name || !matcher.matches(role.metadata.labels ?? {})) continue;
      for (const rule of role.rules ?? []) if (!rules.some((existing) => deepEqual(existing, rule))) rules.push(rule);
    }
  }
  return rules;
}
