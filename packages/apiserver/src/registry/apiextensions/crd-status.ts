import type { apiextensionsv1 } from '@coracle/api';
import { setCondition } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

export type CustomResourceDefinition = apiextensionsv1.CustomResourceDefinition;
type Status = NonNullable<CustomResourceDefinition['status']>;
type Condition = NonNullable<Status['conditions']>[number];

/** Why the names of a CRD are not accepted. */
export interface NameConflict {
  readonly reason: string;
  readonly message: string;
}

/** Blocks the deletion of a CRD until its objects are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export function hasCrdCondition({ status }: Pick<CustomResourceDefinition, 'status'>, type: string): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}

const initial = 'the initial names have been accepted';
const installing = { type: 'Established', status: 'False', reason: 'Installing', message: initial };
const established = { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: initial };

/**
 * The CRD with the result of the check of its names. It is established in a separate write after its names are
 * accepted, as in upstream, so that a watch shows both steps. Once established, it stays so.
 */
export function withNamesChecked(
  crd: CustomResourceDefinition,
  conflict: NameConflict | undefined,
  now: Millis,
): CustomResourceDefinition {
  const { status, spec } = crd;
  const accepted = { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  let conditions: readonly Condition[] = setCondition<Condition>(
    status?.conditions ?? [],
    conflict ? { type: 'NamesAccepted', status: 'False', ...conflict } : accepted,
    now,
  );
  const wasAccepted = ['NamesAccepted', 'Established'].some((type) => hasCrdCondition(crd, type));
  if (!conflict) conditions = setCondition<Condition>(conditions, wasAccepted ? established : installing, now);
  else if (!hasCrdCondition(crd, 'Established'))
    conditions = setCondition<Condition>(
      conditions,
      { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
      now,
    );
  const acceptedNames = conflict ? (status?.acceptedNames ?? { kind: '', plural: '' }) : { ...spec.names };
  return { ...crd, status: { ...status, acceptedNames, conditions: [...conditions] } };
}

/** The condition of a CRD that is being deleted while it still has objects. */
export function terminating(conditions: readonly Condition[] | undefined, now: Millis): Condition[] {
  const condition = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  return [...setCondition<Condition>(conditions ?? [], condition, now)];
}
