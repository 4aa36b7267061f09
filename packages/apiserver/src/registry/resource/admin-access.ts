import { type Namespace, refs, type resourcev1 } from '@coracle/api';
import { type FieldError, FieldPath, forbiddenField } from '@coracle/apimachinery';
import type { ObjectReader } from '../../object-reader.js';

const label = 'resource.kubernetes.io/admin-access';

/** What the check needs of a request. */
interface AdminAccessContext {
  readonly objects: Pick<ObjectReader, 'get'>;
}

/** Devices that others use are for administrators: only namespaces with a label may request them. */
export function checkAdminAccess(
  { requests }: resourcev1.DeviceClaim,
  namespace: string,
  context: AdminAccessContext,
): FieldError[] {
  const index = (requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess);
  const path = FieldPath.of('spec', 'devices', 'requests').index(index).child('adminAccess');
  return index < 0 ? [] : checkNamespace(path, namespace, context);
}

/** Nor may they be allocated elsewhere. What has been allocated is immutable, and not checked again. */
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
