import {
  foregroundFinalizer,
  hasFinalizer,
  isConflict,
  isNotFound,
  type KubeObject,
  type OwnerReference,
  orphanFinalizer,
  parseApiVersion,
  type ResourceInfo,
  withoutOwner,
} from '@coracle/apimachinery';
import { type Client, type ReconcileResult, type ResourceClient, refOf, TerminalError } from '@coracle/client';
import type { ControllerContext } from '../controller.js';
import type { Coordinates } from './absent-owners.js';
import { coordinatesOf, type DependencyGraph, type GraphNode } from './dependency-graph.js';
import { type OwnerState, type Propagation, planCollection } from './plan-collection.js';

/** Number of retries of a step after a conflict. */
const attempts = 5;
/** The owner exists but its event has not arrived yet. */
const unseenRetryMs = 1_000;

/** Processes the requests of the graph. It reads every object from the server before it deletes it. */
export class Collector {
  readonly #graph: DependencyGraph;
  readonly #context: ControllerContext;
  readonly #enqueue: (node: GraphNode) => void;
  readonly #whole: () => Promise<void>;

  constructor(deps: {
    readonly graph: DependencyGraph;
    readonly context: ControllerContext;
    /** Enqueues another object. */
    readonly enqueue: (node: GraphNode) => void;
    /** Resolves when the graph also includes the objects of recently added resources. */
    readonly whole: () => Promise<void>;
  }) {
    this.#graph = deps.graph;
    this.#context = deps.context;
    this.#enqueue = deps.enqueue;
    this.#whole = deps.whole;
  }

  /** Deletes an object whose owners do not exist, or removes the finalizer of one whose dependents are deleted. */
  async attemptToDelete(uid: string): Promise<ReconcileResult | undefined> {
    const node = this.#graph.get(uid);
    if (!node || (node.beingDeleted && !node.deletingDependents)) return undefined;
    const info = await this.#infoOf(node.type);
    if (node.virtual) return await this.#verify(node, info);
    return await onceMoreOnConflict(async () => {
      const latest = await this.#read(coordinatesOf(node), info);
      // The informer reports the deletion.
      if (!latest) return;
      if (node.deletingDependents) await this.#letGo(node, latest, info);
      else await this.#collect(node, latest, info);
    });
  }

  /** Removes the owner reference from the dependents of an object, and then its `orphan` finalizer. */
  async attemptToOrphan(uid: string): Promise<void> {
    const node = this.#graph.get(uid);
    if (!node) return;
    await this.#whole();
    await Promise.all([...(node.dependents ?? [])].map((dependent) => this.#orphan(dependent, uid)));
    const info = await this.#infoOf(node.type);
    await onceMoreOnConflict(async () => {
      const latest = await this.#read(coordinatesOf(node), info);
      if (latest) await this.#removeFinalizer(latest, info, orphanFinalizer);
    });
  }

  async #verify(node: GraphNode, info: ResourceInfo): Promise<ReconcileResult | undefined> {
    const coordinates = placed(coordinatesOf(node), info);
    // A cluster-scoped object cannot have a namespaced owner: such a reference cannot be resolved, and is ignored.
    if (info.namespaced && node.namespace === '') return undefined;
    const latest = await this.#read(coordinates, info);
    if (latest) return node.virtual ? { requeueAfterMs: unseenRetryMs } : undefined;
    this.#graph.removeVirtual(node, coordinates);
    return undefined;
  }

  async #collect(node: GraphNode, latest: KubeObject, info: ResourceInfo): Promise<void> {
    const references = latest.metadata.ownerReferences ?? [];
    if (references.length === 0) return;
    const owners: { reference: OwnerReference; state: OwnerState }[] = [];
    for (const reference of references) owners.push({ reference, state: await this.#stateOf(reference, node) });
    const plan = planCollection({
      owners,
      dependents: node.dependents ?? [],
      finalizers: latest.metadata.finalizers ?? [],
    });
    if (plan.kind === 'unlink') {
      const rest = references.filter(({ uid }) => !plan.uids.includes(uid));
      await this.#patch(latest, info, { ownerReferences: rest });
    } else if (plan.kind === 'delete') {
      const subject = plan.unblock ? await this.#unblock(latest, info) : latest;
      await this.#delete(subject, info, plan.propagation);
    }
  }

  /** The state of an owner on the server. */
  async #stateOf(reference: OwnerReference, node: GraphNode): Promise<OwnerState> {
    // Called before the kind is looked up: the CRD of a custom resource may have been deleted with it.
    const { absent } = this.#graph;
    if ([node.namespace, ''].some((namespace) => absent.has({ ...reference, namespace }))) return 'dangling';
    const info = await this.#infoOf(reference);
    if (info.namespaced && node.namespace === '') {
      throw new TerminalError(
        `${node.type.kind} ${node.name} is in no namespace and cannot be owned by what is in one`,
      );
    }
    const coordinates = placed({ ...reference, namespace: node.namespace }, info);
    const owner = await this.#read(coordinates, info);
    if (!owner) {
      absent.add(coordinates);
      return 'dangling';
    }
    const waits = owner.metadata.deletionTimestamp !== undefined && hasFinalizer(owner, foregroundFinalizer);
    return waits ? 'waiting' : 'solid';
  }

  /** An owner is deleted when no blocking dependent is left. */
  async #letGo(node: GraphNode, latest: KubeObject, info: ResourceInfo): Promise<void> {
    await this.#whole();
    const blocking = [...(node.dependents ?? [])].filter(({ owners }) =>
      owners.some(({ uid, blockOwnerDeletion }) => uid === node.uid && blockOwnerDeletion),
    );
    if (blocking.length === 0) await this.#removeFinalizer(latest, info, foregroundFinalizer);
    for (const dependent of blocking) if (!dependent.deletingDependents) this.#enqueue(dependent);
  }

  async #orphan(dependent: GraphNode, owner: string): Promise<void> {
    const info = await this.#infoOf(dependent.type);
    await onceMoreOnConflict(async () => {
      const latest = await this.#read(coordinatesOf(dependent), info);
      if (!latest?.metadata.ownerReferences?.some(({ uid }) => uid === owner)) return;
      await this.#patch(latest, info, { ownerReferences: withoutOwner(latest.metadata, owner) });
    });
  }

  async #unblock(latest: KubeObject, info: ResourceInfo): Promise<KubeObject> {
    const ownerReferences = (latest.metadata.ownerReferences ?? []).map((reference) => ({
      ...reference,
      blockOwnerDeletion: false,
    }));
    return (await this.#patch(latest, info, { ownerReferences })) ?? latest;
  }

  async #removeFinalizer(latest: KubeObject, info: ResourceInfo, finalizer: string): Promise<void> {
    const { finalizers = [] } = latest.metadata;
    if (!finalizers.includes(finalizer)) return;
    await this.#patch(latest, info, { finalizers: finalizers.filter((name) => name !== finalizer) });
  }

  /** Fails with a conflict if the object is no longer as it was when it was read. */
  async #patch(
    { metadata }: KubeObject,
    info: ResourceInfo,
    change: { readonly ownerReferences?: readonly OwnerReference[]; readonly finalizers?: readonly string[] },
  ): Promise<KubeObject | undefined> {
    const { name = '', namespace, resourceVersion, uid } = metadata;
    const patch = { metadata: { ...change, uid, resourceVersion } };
    return await clientOf(this.#context.client, info, namespace)
      .patch(name, patch, { type: 'merge' })
      .catch(ignoreGone);
  }

  async #delete({ metadata }: KubeObject, info: ResourceInfo, propagationPolicy: Propagation): Promise<void> {
    const { name = '', namespace, uid = '', resourceVersion = '' } = metadata;
    await clientOf(this.#context.client, info, namespace)
      .delete(name, { propagationPolicy, preconditions: { uid, resourceVersion } })
      .catch(ignoreGone);
  }

  /** The object on the server, or `undefined` if it was deleted or another one has its name. */
  async #read({ namespace, name, uid }: Coordinates, info: ResourceInfo): Promise<KubeObject | undefined> {
    const found = await clientOf(this.#context.client, info, namespace).get(name).catch(ignoreGone);
    return found?.metadata.uid === uid ? found : undefined;
  }

  async #infoOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): Promise<ResourceInfo> {
    const version = parseApiVersion(apiVersion);
    const info = version && (await this.#context.catalog.byKind({ ...version, kind }));
    if (!info) throw new Error(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
    return info;
  }
}

function clientOf(client: Client, info: ResourceInfo, namespace: string | undefined): ResourceClient<KubeObject> {
  return client.metadata(refOf(info), info.namespaced ? namespace : undefined);
}

function placed(coordinates: Coordinates, { namespaced }: ResourceInfo): Coordinates {
  return namespaced ? coordinates : { ...coordinates, namespace: '' };
}

function ignoreGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

async function onceMoreOnConflict(action: () => Promise<void>): Promise<undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      await action();
      return undefined;
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw error;
    }
  }
}
