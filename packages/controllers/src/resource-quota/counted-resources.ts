import type { QuotaEvaluators } from '@coracle/api';
import type { GroupResource, KubeObject, ResourceInfo } from '@coracle/apimachinery';
import { DisposableStack } from '@coracle/base';
import { type InformerEvent, refOf } from '@coracle/client';
import type { ControllerContext } from '../controller.js';
import { openInformer, type ResourceInformer } from '../resource-informer.js';

interface Counted {
  readonly info: ResourceInfo;
  readonly source: ResourceInformer;
  readonly parts: DisposableStack;
}

/** The resources that some quota counts. They are watched from the first request on. */
export class CountedResources implements AsyncDisposable {
  readonly #context: ControllerContext;
  readonly #evaluators: QuotaEvaluators;
  /** Called when usage in a namespace has dropped. */
  readonly #freed: (namespace: string) => void;
  readonly #counted = new Map<string, Counted>();
  readonly #listener: Disposable;

  constructor(context: ControllerContext, evaluators: QuotaEvaluators, freed: (namespace: string) => void) {
    this.#context = context;
    this.#evaluators = evaluators;
    this.#freed = freed;
    // After a failure, the next change triggers another attempt.
    this.#listener = context.catalog.onChange(() => void this.#dropCustom().catch(() => {}));
  }

  /** The objects of a resource in a namespace; `undefined` if the server does not serve the resource. */
  async objects(resource: GroupResource, namespace: string): Promise<readonly KubeObject[] | undefined> {
    const counted = await this.#find(resource);
    if (!counted) return undefined;
    const { info, source } = counted;
    if (source.builtIn) await source.informer.synced();
    if (source.informer.hasSynced) return source.informer.list(namespace);
    return (await this.#context.client.metadata(refOf(info), namespace).list()).items;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener[Symbol.dispose]();
    await Promise.all([...this.#counted.values()].map(({ parts }) => parts[Symbol.asyncDispose]()));
    this.#counted.clear();
  }

  async #find(resource: GroupResource): Promise<Counted | undefined> {
    const entry = this.#counted.get(nameOf(resource));
    if (entry) return entry;
    const { resources } = await this.#context.catalog.read();
    const info = resources.find((one) => nameOf(one) === nameOf(resource));
    // A concurrent call may have opened it meanwhile.
    const opened = this.#counted.get(nameOf(resource));
    if (opened || !info?.namespaced || !info.verbs.includes('watch')) return opened;
    return this.#open(info);
  }

  #open(info: ResourceInfo): Counted {
    const parts = new DisposableStack();
    const source = parts.use(openInformer(this.#context, info));
    const evaluator = this.#evaluators.for(info);
    const { clock } = this.#context;
    const frees = (event: InformerEvent<KubeObject>) =>
      event.type === 'deleted' ||
      (event.type === 'updated' && (evaluator.frees?.(event.object, event.previous, clock.now()) ?? false));
    parts.use(
      source.informer.addHandler((event) => {
        if (frees(event)) this.#freed(event.object.metadata.namespace ?? '');
      }),
    );
    const counted = { info, source, parts };
    this.#counted.set(nameOf(info), counted);
    return counted;
  }

  /** Custom resources may have been removed, or be served in another version: then the informer is replaced. */
  async #dropCustom(): Promise<void> {
    const custom = [...this.#counted.values()].filter(({ source }) => !source.builtIn);
    if (custom.length === 0) return;
    const { resources } = await this.#context.catalog.read();
    for (const { info, parts } of custom) {
      const served = resources.some((one) => nameOf(one) === nameOf(info) && one.version === info.version);
      if (served || !this.#counted.delete(nameOf(info))) continue;
      await parts[Symbol.asyncDispose]();
    }
  }
}

function nameOf({ group, resource }: GroupResource): string {
  return `${group}/${resource}`;
}
