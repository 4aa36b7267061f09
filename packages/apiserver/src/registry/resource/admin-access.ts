import { type Namespace, refs, type resourcev1 } from '@coracle/api';
import { type FieldError, FieldPath, forbiddenField } from '@coracle/apimachinery';
import type { ObjectReader } from '../../object-reader.js';

const label = 'resource.kubernetes.io/admin-access';

/** Devices that others use are for administrators: only namespaces with a label may request them. */
export function checkAdminAccess(
  { requests }: resourcev1.DeviceClaim,
  namespace: string,
  { objects }: { readonly objects: Pick<ObjectReader, 'get'> },
): FieldError[] {
  const requestIndex = (requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess);
  if (requestIndex < 0) return [];
  const found: Namespace | undefined = objects.get(refs.namespaces, '', namespace);
  if (found?.metadata.labels?.[label] === 'true') return [];
  const path = FieldPath.of('spec', 'devices', 'requests').index(requestIndex).child('adminAccess');
  return [
    forbiddenField(path, `admin access to devices requires the \`${label}: true\` label on the containing namespace`),
  ];
}
