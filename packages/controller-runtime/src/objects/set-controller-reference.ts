import {
  controllerOf,
  controllerReference,
  type GroupVersionKind,
  type KubeObject,
  type OwnerReference,
  ownerReference,
  parseApiVersion,
  withOwnerReference,
} from '@coracle/apimachinery';

/** Thrown when an object that is to be managed is managed by another already. */
export class AlreadyOwnedError extends Error {
  override readonly name: string = 'AlreadyOwnedError';
  readonly owner: OwnerReference;

  constructor(object: KubeObject, owner: OwnerReference) {
    const { namespace, name } = object.metadata;
    super(
      `Object ${namespace ? `${namespace}/` : ''}${name} is already owned by another ${owner.kind} controller ${owner.name}`,
    );
    this.owner = owner;
  }
}

/**
 * The object with `owner` as its controller: it is deleted with the owner, and `owns` finds the owner by it. `kind` is
 * the owner's `ResourceRef` or its group, version and kind. Throws `AlreadyOwnedError` if it has another controller.
 */
export function setControllerReference<T extends KubeObject>(object: T, owner: KubeObject, kind: GroupVersionKind): T {
  checkNamespaces(object, owner);
  const current = controllerOf(object);
  const reference = controllerReference(owner, kind);
  if (current && !isSame(current, reference)) throw new AlreadyOwnedError(object, current);
  return owned(object, reference);
}

/** The object with `owner` as one of its owners, but not its controller: it is deleted with the last of them. */
export function setOwnerReference<T extends KubeObject>(object: T, owner: KubeObject, kind: GroupVersionKind): T {
  checkNamespaces(object, owner);
  return owned(object, ownerReference(owner, kind));
}

function owned<T extends KubeObject>(object: T, reference: OwnerReference): T {
  const ownerReferences = withOwnerReference(object.metadata, reference);
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

/** Garbage collection would treat such an object as one whose owner was deleted. */
function checkNamespaces(object: KubeObject, owner: KubeObject): void {
  const [own, owners] = [object.metadata.namespace ?? '', owner.metadata.namespace ?? ''];
  if (owners === '' || owners === own) return;
  if (own === '')
    throw new Error(`cluster-scoped resource must not have a namespace-scoped owner, owner's namespace ${owners}`);
  throw new Error(
    `cross-namespace owner references are disallowed, owner's namespace ${owners}, obj's namespace ${own}`,
  );
}

/** The same owner, in whatever version. */
function isSame(a: OwnerReference, b: OwnerReference): boolean {
  const groupOf = (reference: OwnerReference) => parseApiVersion(reference.apiVersion)?.group;
  return a.uid === b.uid && a.kind === b.kind && a.name === b.name && groupOf(a) === groupOf(b);
}
