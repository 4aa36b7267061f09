import { resources as builtIn, refs } from '@coracle/api';
import { forbidden, type OwnerReference } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { AccessAttributes, Authorizer } from '../../authorization/authorizer.js';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';

/**
 * Setting an owner can cause the deletion of the object, so the user must be allowed to delete it; setting
 * `blockOwnerDeletion` requires the permission to change the owner's finalizers.
 */
export function ownerReferencesPermissionEnforcement(deps: {
  readonly objects: ObjectReader;
  readonly authorizer: Authorizer;
}): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    handles: ({ operation, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') && !(resource.resource === 'pods' && subresource === 'status'),
    async validate(attributes) {
      const before = ownersOf(attributes.oldObject);
      const now = ownersOf(attributes.object);
      if (deepEqual(now, before)) return;
      await checkDelete(attributes, deps.authorizer);
      for (const owner of now)
        if (
          owner.blockOwnerDeletion &&
          !before.some(({ uid, blockOwnerDeletion }) => uid === owner.uid && blockOwnerDeletion)
        )
          await checkBlocking(attributes, owner, deps);
    },
  };
}

function ownersOf(object: AdmissionAttributes['object']): readonly OwnerReference[] {
  return object?.metadata.ownerReferences ?? [];
}

function accessTo(
  { user, namespace }: AdmissionAttributes,
  what: Pick<AccessAttributes, 'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'name'>,
): AccessAttributes {
  return { user, namespace, isResourceRequest: true, path: '', ...what };
}

async function checkDelete(attributes: AdmissionAttributes, authorizer: Authorizer): Promise<void> {
  const { resource, subresource, operation } = attributes;
  // An object without a name yet can only be authorized by its kind.
  const name = operation === 'CREATE' ? '' : attributes.name;
  const decision = await authorizer.authorize(accessTo(attributes, { verb: 'delete', ...resource, subresource, name }));
  if (decision.kind === 'allow') return;
  const why = `cannot set an ownerRef on a resource you can't delete: ${decision.reason}, <nil>`;
  throw forbidden(resource, attributes.name, why);
}

async function checkBlocking(
  attributes: AdmissionAttributes,
  { apiVersion, kind, name }: OwnerReference,
  { objects, authorizer }: { readonly objects: ObjectReader; readonly authorizer: Authorizer },
): Promise<void> {
  const slash = apiVersion.indexOf('/');
  const [group, version] = [slash < 0 ? '' : apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  const owner = resourceOf({ group, version, kind }, objects);
  if (!owner) {
    const why = `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
    throw forbidden(attributes.resource, attributes.name, why);
  }
  const accessAttributes = {
    verb: 'update',
    group,
    version,
    resource: owner.resource,
    subresource: 'finalizers',
    name,
  };
  const access = accessTo(attributes, accessAttributes);
  const decision = await authorizer.authorize(owner.namespaced ? access : { ...access, namespace: '' });
  if (decision.kind === 'allow') return;
  const why = `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${decision.reason}, <nil>`;
  throw forbidden(attributes.resource, attributes.name, why);
}

function resourceOf(
  owner: { readonly group: string; readonly version: string; readonly kind: string },
  objects: ObjectReader,
): { readonly resource: string; readonly namespaced: boolean } | undefined {
  const info = builtIn.find(
    ({ group, version, kind }) => group === owner.group && version === owner.version && kind === owner.kind,
  );
  if (info) return info;
  const custom = objects
    .list(refs.customResourceDefinitions)
    .find(({ spec }) => spec.group === owner.group && spec.names.kind === owner.kind);
  return custom && { resource: custom.spec.names.plural, namespaced: custom.spec.scope === 'Namespaced' };
}
