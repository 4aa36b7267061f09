import type { Container, PodSpec } from '@coracle/api';
import { type FieldError, FieldPath, forbiddenField, type GroupResource, type KubeObject } from '@coracle/apimachinery';

const inTemplate = ['spec', 'template', 'spec'];

/** Paths of the pod specs in resources with a pod template. */
const specPaths: Readonly<Record<string, readonly string[]>> = {
  '/pods': ['spec'],
  '/podtemplates': ['template', 'spec'],
  '/replicationcontrollers': inTemplate,
  'apps/daemonsets': inTemplate,
  'apps/deployments': inTemplate,
  'apps/replicasets': inTemplate,
  'apps/statefulsets': inTemplate,
  'batch/cronjobs': ['spec', 'jobTemplate', ...inTemplate],
  'batch/jobs': inTemplate,
};

const lists = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** Rejects privileged containers unless `--allow-privileged` is set. */
export function privilegedContainers({ group, resource }: GroupResource, object: KubeObject): FieldError[] {
  const steps = specPaths[`${group}/${resource}`];
  const spec = steps && (at(object, steps) as Partial<PodSpec> | undefined);
  if (!spec) return [];
  const path = FieldPath.of(...steps);
  return lists.flatMap((list) => {
    const containers: readonly Pick<Container, 'securityContext'>[] = spec[list] ?? [];
    return containers.flatMap(({ securityContext }, i) =>
      securityContext?.privileged
        ? [
            forbiddenField(
              path.child(list).index(i).child('securityContext', 'privileged'),
              'disallowed by cluster policy',
            ),
          ]
        : [],
    );
  });
}

function at(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>(
    (inner, step) => (inner as Readonly<Record<string, unknown>> | undefined)?.[step],
    value,
  );
}
