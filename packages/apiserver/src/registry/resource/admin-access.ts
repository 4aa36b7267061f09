import { type Namespace, refs, type resourcev1 } from '@coracle/api';
import { type FieldError, FieldPath, forbiddenField } from '@coracle/apimachinery';
import type { ObjectReader } from '../../object-reader.js';

const label = 'resource.kubernetes.io/admin-access';

/** The parts of a request that the check needs. */
interface AdminAccessContext {
  readonly objects: Pick<ObjectReader, 'get'>;
}

/** Admin access to devices in use requires a label on the namespace. */
export function checkAdminAccess(
  { requests }: resourcev1.DeviceClaim,
  namespace: string,
  context: AdminAccessContext,
): FieldError[] {
  const index = (requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess);
  const path = FieldPath.of('spec', 'devices', 'requests').index(index).child('adminAccess');
  return index < 0 ? [] : checkNamespace(path, namespace, context);
}

/** The same for allocations. An existing allocation is immutable, and not checked again. */
export function checkAllocatedAdminAccess(
  { metadata, status }: resourcev1.ResourceClaim,
  previous: resourcev1.ResourceClaim,
  context: AdminAccessContext,
): FieldError[] {
  const index = adminResult(status);
  if (index < 0 || adminResult(previous.status) >= 0) return [];
  const path = FieldPath.of('status', 'allocation', 'devices', 'results').index(index).child('adminAccess');
  return checkNamespace(path, metadata.namespace ?? '', context);
}

function adminResult(status: resourcev1.ResourceClaimStatus | undefined): number {
  return (status?.allocation?.devices?.results ?? []).findIndex(({ adminAccess }) => adminAccess);
}

function checkNamespace(path: FieldPath, namespace: string, { objects }: AdminAccessContext): FieldError[] {
  const found: Namespace | undefined = objects.get(refs.namespaces, '', namespace);
  if (found?.metadata.labels?.[label] === 'true') return [];
  return [
    forbiddenField(path, `admin access to devices requires the \`${label}: true\` label on the containing namespace`),
  ];
}
