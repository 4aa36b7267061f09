import { apiVersionOf, type GroupVersionKind, parseApiVersion } from './group-version.js';
import type { KubeObject, ObjectMeta, OwnerReference } from './object-meta.js';

/** The reference of the object that manages this one, if any. */
export function controllerOf(object: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export function isControlledBy(
  object: { readonly metadata: ObjectMeta },
  owner: { readonly metadata: ObjectMeta },
): boolean {
  return owner.metadata.uid !== undefined && controllerOf(object)?.uid === owner.metadata.uid;
}

/** A reference that makes `owner` the controller of an object. */
export function controllerReference(owner: { readonly metadata: ObjectMeta }, gvk: GroupVersionKind): OwnerReference {
  return { ...ownerReference(owner, gvk), controller: true, blockOwnerDeletion: true };
}

/** A plain reference: the object is deleted with its last owner. */
export function ownerReference(owner: { readonly metadata: ObjectMeta }, gvk: GroupVersionKind): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  return { apiVersion: apiVersionOf(gvk), kind: gvk.kind, name, uid };
}

/** The references with `reference` among them, replacing one to the same owner. */
export function withOwnerReference(meta: ObjectMeta, reference: OwnerReference): OwnerReference[] {
  const others = (meta.ownerReferences ?? []).filter(({ uid }) => uid !== reference.uid);
  return [...others, reference];
}

export function withoutOwner(meta: ObjectMeta, uid: string): OwnerReference[] {
  return (meta.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
}

/** Whether the reference names an object of this group and kind, in whatever version. */
export function refersTo(
  reference: OwnerReference,
  { group, kind }: { readonly group: string; readonly kind: string },
): boolean {
  return reference.kind === kind && parseApiVersion(reference.apiVersion)?.group === group;
}

/** The group, version and kind that an object says it is. */
export function gvkOf(object: Pick<KubeObject, 'apiVersion' | 'kind'>): GroupVersionKind | undefined {
  const version = object.apiVersion === undefined ? undefined : parseApiVersion(object.apiVersion);
  return version && object.kind ? { ...version, kind: object.kind } : undefined;
}
