import { apiVersionOf, type KubeObject, type ResourceInfo } from '@coracle/apimachinery';
import { DisposableStack } from '@coracle/base';
import type { InformerEvent } from '@coracle/client';
import type { ControllerContext } from '../controller.js';
import { openInformer } from '../resource-informer.js';
import type { NodeType } from './dependency-graph.js';

/** Events are not monitored: they have no owners, and there are many. */
const ignored: ReadonlySet<string> = new Set(['/events', 'events.k8s.io/events']);

type Listener = (type: NodeType, event: InformerEvent<KubeObject>) => void;

interface Monitor extends AsyncDisposable {
  readonly synced: Promise<void>;
  /** Every server has this resource, so it can be relied on to sync. */
  readonly builtIn: boolean;
}

/** Watches every deletable resource, and follows resources that are added and removed. */
export class Monitors implements AsyncDisposable {
  readonly #context: ControllerContext;
  readonly #listener: Listener;
  /** By `group/version/resource`. */
  readonly #monitors = new Map<string, Monitor>();
  /** Monitors that have not synced yet. */
  readonly #unsynced = new Set<Monitor>();

  constructor(context: ControllerContext, listener: Listener) {
    this.#context = context;
    this.#listener = listener;
  }

  /** Updates the monitored resources from the served ones. */
  async update(): Promise<void> {
    const { resources, failures } = await this.#context.catalog.read();
    const monitored = new Map(resources.filter(isCollectable).map((info) => [nameOf(info), info]));
    for (const [name, info] of monitored) {
      if (!this.#monitors.has(name)) this.#add(name, this.#watch(info));
    }
    for (const [name, monitor] of this.#monitors) {
      // The resources of a group whose discovery failed stay monitored.
      if (monitored.has(name) || failures.has(name.slice(0, name.lastIndexOf('/')))) continue;
      this.#monitors.delete(name);
      this.#unsynced.delete(monitor);
      await monitor[Symbol.asyncDispose]();
    }
  }

  /** Whether all monitors have synced. */
  get isComplete(): boolean {
    return this.#unsynced.size === 0;
  }

  async synced(which: 'built-in' | 'all'): Promise<void> {
    const waited = [...this.#unsynced].filter(({ builtIn }) => builtIn || which === 'all');
    await Promise.all(waited.map(({ synced }) => synced));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#monitors.values()].map((monitor) => monitor[Symbol.asyncDispose]()));
    this.#monitors.clear();
  }

  #add(name: string, monitor: Monitor): void {
    this.#monitors.set(name, monitor);
    this.#unsynced.add(monitor);
    void monitor.synced.then(() => this.#unsynced.delete(monitor));
  }

  #watch(info: ResourceInfo): Monitor {
    const parts = new DisposableStack();
    const { informer, builtIn } = parts.use(openInformer(this.#context, info));
    const type = { apiVersion: apiVersionOf(info), kind: info.kind };
    parts.use(informer.addHandler((event) => this.#listener(type, event)));
    return { builtIn, synced: informer.synced(), [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() };
  }
}

function isCollectable({ group, resource, verbs }: ResourceInfo): boolean {
  return ['delete', 'list', 'watch'].every((verb) => verbs.includes(verb)) && !ignored.has(`${group}/${resource}`);
}

/** The core group is empty and written without a slash, as in discovery failures. */
function nameOf(info: Pick<ResourceInfo, 'group' | 'version' | 'resource'>): string {
  return `${apiVersionOf(info)}/${info.resource}`;
}
