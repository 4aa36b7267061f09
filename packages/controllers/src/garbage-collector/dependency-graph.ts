import { foregroundFinalizer, type KubeObject, type OwnerReference, orphanFinalizer } from '@coracle/apimachinery';
import { AbsentOwners, type Coordinates } from './absent-owners.js';

/** Data that the nodes of one resource share. */
export interface NodeType {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The ownership of an object. There is one for every object of the cluster, so it must be small. */
export interface GraphNode {
  readonly uid: string;
  type: NodeType;
  /** Empty for cluster-scoped objects. */
  namespace: string;
  name: string;
  /** Shared with the object. */
  owners: readonly OwnerReference[];
  /** Absent if there are none. */
  dependents: Set<GraphNode> | undefined;
  beingDeleted: boolean;
  /** Whether it waits for the deletion of its dependents (foreground deletion). */
  deletingDependents: boolean;
  orphaning: boolean;
  /** A virtual node, seen only in references: the object may not exist. */
  virtual: boolean;
}

/** The requests of the graph. Each may be repeated. */
export interface GraphListener {
  /** Check whether the object has to be deleted. */
  attemptToDelete(node: GraphNode): void;
  attemptToOrphan(node: GraphNode): void;
  /** The owner is in another namespace, which owner references do not allow. */
  invalidNamespace(dependent: GraphNode, reference: OwnerReference): void;
}

const none: readonly OwnerReference[] = Object.freeze([]);

/**
 * The graph of owners and dependents of all kinds, as observed by informers.
 *
 * Nothing is deleted because of the graph alone: it only shows which objects to check. Every event of every resource comes through
 * here, so an event that changes neither owners nor deletion costs one look-up.
 */
export class DependencyGraph {
  readonly absent = new AbsentOwners();
  readonly #nodes = new Map<string, GraphNode>();
  readonly #listener: GraphListener;

  constructor(listener: GraphListener) {
    this.#listener = listener;
  }

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  nodes(): Iterable<GraphNode> {
    return this.#nodes.values();
  }

  /** An object was added or changed. */
  observe(type: NodeType, { metadata }: KubeObject): void {
    const { uid = '', deletionTimestamp, ownerReferences: owners = none } = metadata;
    let node = this.#nodes.get(uid);
    if (!node) {
      node = newNode(uid, type, { namespace: metadata.namespace ?? '', name: metadata.name ?? '', virtual: false });
      this.#nodes.set(uid, node);
    } else if (node.virtual) this.#becomeReal(node, type, metadata);
    if (node.owners !== owners && !sameOwners(node.owners, owners)) this.#setOwners(node, owners);
    if (deletionTimestamp !== undefined) this.#observeDeletion(node, metadata.finalizers ?? []);
  }

  /** An object was deleted. */
  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (!node) return;
    this.#drop(node);
    if (node.dependents?.size) this.absent.add(coordinatesOf(node));
    for (const dependent of node.dependents ?? []) this.#listener.attemptToDelete(dependent);
    for (const { uid: owner } of node.owners) {
      const waiting = this.#nodes.get(owner);
      if (waiting?.deletingDependents) this.#listener.attemptToDelete(waiting);
    }
  }

  /**
   * A virtual owner (seen in references only) does not exist where this reference said. Dependents with these
   * coordinates are enqueued; if others have different coordinates, the owner is looked up there.
   */
  removeVirtual(node: GraphNode, coordinates: Coordinates): void {
    this.absent.add(coordinates);
    if (!node.virtual) return;
    for (const dependent of node.dependents ?? []) {
      const reference = dependent.owners.find(({ uid }) => uid === node.uid);
      if (!reference) continue;
      if (leadsTo(reference, dependent.namespace, node)) this.#listener.attemptToDelete(dependent);
      else if (!this.absent.has({ ...reference, namespace: dependent.namespace })) {
        Object.assign(node, { type: reference, namespace: dependent.namespace, name: reference.name });
        this.#listener.attemptToDelete(node);
        return;
      }
    }
    this.#drop(node);
  }

  #becomeReal(node: GraphNode, type: NodeType, metadata: KubeObject['metadata']): void {
    node.virtual = false;
    node.type = type;
    node.namespace = metadata.namespace ?? '';
    node.name = metadata.name ?? '';
    for (const dependent of node.dependents ?? []) {
      const reference = dependent.owners.find(({ uid }) => uid === node.uid);
      if (reference) this.#checkReference(dependent, reference, node);
    }
  }

  #setOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    const before = node.owners;
    node.owners = owners;
    for (const old of before) {
      const now = owners.find(({ uid }) => uid === old.uid);
      const owner = this.#nodes.get(old.uid);
      if (!owner) continue;
      if (!now) this.#unlink(node, owner);
      // An owner in foreground deletion may have waited for this one.
      if (old.blockOwnerDeletion && !now?.blockOwnerDeletion) this.#listener.attemptToDelete(owner);
    }
    for (const reference of owners) {
      const old = before.find(({ uid }) => uid === reference.uid);
      if (!old) this.#link(node, reference);
      else if (!sameTarget(old, reference)) this.#followMoved(node, reference);
    }
  }

  /** A reference has other coordinates for the same uid: a virtual owner is looked up there. */
  #followMoved(node: GraphNode, reference: OwnerReference): void {
    const owner = this.#nodes.get(reference.uid);
    if (!owner) this.#link(node, reference);
    else if (owner.virtual) this.#listener.attemptToDelete(owner);
    else this.#checkReference(node, reference, owner);
  }

  #link(node: GraphNode, reference: OwnerReference): void {
    let owner = this.#nodes.get(reference.uid);
    const exists = owner !== undefined;
    if (!owner) {
      const place = { namespace: node.namespace, name: reference.name, virtual: true };
      owner = newNode(reference.uid, reference, place);
      this.#nodes.set(reference.uid, owner);
    }
    owner.dependents ??= new Set();
    owner.dependents.add(node);
    if (exists) this.#checkReference(node, reference, owner);
    else this.#listener.attemptToDelete(owner);
  }

  /** Dependents with wrong coordinates of their owner, which may be deleted. */
  #checkReference(node: GraphNode, reference: OwnerReference, owner: GraphNode): void {
    if (leadsTo(reference, node.namespace, owner)) return;
    const elsewhere = owner.namespace !== '' && owner.namespace !== node.namespace;
    if (elsewhere && !owner.virtual) this.#listener.invalidNamespace(node, reference);
    this.#listener.attemptToDelete(node);
  }

  #observeDeletion(node: GraphNode, finalizers: readonly string[]): void {
    node.beingDeleted = true;
    const orphaning = finalizers.includes(orphanFinalizer);
    const begins = orphaning && !node.orphaning;
    node.orphaning = orphaning;
    if (begins) this.#listener.attemptToOrphan(node);
    if (orphaning || node.deletingDependents || !finalizers.includes(foregroundFinalizer)) return;
    node.deletingDependents = true;
    for (const dependent of node.dependents ?? []) this.#listener.attemptToDelete(dependent);
    this.#listener.attemptToDelete(node);
  }

  #drop(node: GraphNode): void {
    this.#nodes.delete(node.uid);
    for (const { uid } of node.owners) {
      const owner = this.#nodes.get(uid);
      if (owner) this.#unlink(node, owner);
    }
  }

  #unlink(dependent: GraphNode, owner: GraphNode): void {
    owner.dependents?.delete(dependent);
    if (owner.virtual && !owner.dependents?.size) this.#nodes.delete(owner.uid);
  }
}

function newNode(
  uid: string,
  type: NodeType,
  place: { readonly namespace: string; readonly name: string; readonly virtual: boolean },
): GraphNode {
  return {
    uid,
    type,
    ...place,
    owners: none,
    dependents: undefined,
    beingDeleted: false,
    deletingDependents: false,
    orphaning: false,
  };
}

export function coordinatesOf({ uid, type, namespace, name }: GraphNode): Coordinates {
  return { uid, namespace, name, apiVersion: type.apiVersion, kind: type.kind };
}

/**
 * Owners are in the dependent's namespace, or cluster-scoped. Versions are ignored, because an object is served in
 * several.
 */
function leadsTo(reference: OwnerReference, namespace: string, owner: GraphNode): boolean {
  return (
    (owner.namespace === '' || owner.namespace === namespace) &&
    reference.name === owner.name &&
    reference.kind === owner.type.kind &&
    groupOf(reference.apiVersion) === groupOf(owner.type.apiVersion)
  );
}

function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
}

function sameOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((reference, index) => {
    const other = b[index];
    return (
      other?.uid === reference.uid &&
      (other.blockOwnerDeletion ?? false) === (reference.blockOwnerDeletion ?? false) &&
      sameTarget(other, reference)
    );
  });
}

function sameTarget(a: OwnerReference, b: OwnerReference): boolean {
  return a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;
}
