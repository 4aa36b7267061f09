import { quotaEvaluatorFor } from '@coracle/api';
import type { GroupResource, KubeObject, ResourceInfo } from '@coracle/apimachinery';
import { DisposableStack } from '@coracle/base';
import { type InformerEvent, refOf } from '@coracle/client';
import type { ControllerContext } from '../controller.js';
import { openInformer, type ResourceInformer } from '../resource-informer.js';

interface Counted {
  readonly info: ResourceInfo;
  readonly source: ResourceInformer;
}

/** The resources that some quota counts. They are watched from when they are first asked for. */
export class CountedResources implements AsyncDisposable {
  readonly #context: ControllerContext;
  /** Told when something in a namespace has become free. */
  readonly #freed: (namespace: string) => void;
  readonly #counted = new Map<string, Counted>();
  readonly #parts = new DisposableStack();

  constructor(context: ControllerContext, freed: (namespace: string) => void) {
    this.#context = context;
    this.#freed = freed;
  }

  /** The objects of a resource in a namespace; `undefined` if the server does not know the resource. */
  async objects(resource: GroupResource, namespace: string): Promise<readonly KubeObject[] | undefined> {
    const counted = await this.#find(resource);
    if (!counted) return undefined;
    const { info, source } = counted;
    if (source.builtIn) await source.informer.synced();
    if (source.informer.hasSynced) return source.informer.list(namespace);
    return (await this.#context.client.metadata(refOf(info), namespace).list()).items;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts[Symbol.asyncDispose]();
  }

  async #find(resource: GroupResource): Promise<Counted | undefined> {
    const name = `${resource.group}/${resource.resource}`;
    const known = this.#counted.get(name);
    if (known) return known;
    const { resources } = await this.#context.catalog.read();
    const info = resources.find((one) => one.group === resource.group && one.resource === resource.resource);
    // Somebody else may have opened it meanwhile.
    return this.#counted.get(name) ?? (info?.namespaced && info.verbs.includes('watch') ? this.#open(info) : undefined);
  }

  #open(info: ResourceInfo): Counted {
    const source = this.#parts.use(openInformer(this.#context, info));
    const evaluator = quotaEvaluatorFor(info);
    const { clock } = this.#context;
    const frees = (event: InformerEvent<KubeObject>) =>
      event.type === 'deleted' ||
      (event.type === 'updated' && (evaluator.frees?.(event.object, event.previous, clock.now()) ?? false));
    this.#parts.use(
      source.informer.addHandler((event) => {
        if (frees(event)) this.#freed(event.object.metadata.namespace ?? '');
      }),
    );
    const counted = { info, source };
    this.#counted.set(`${info.group}/${info.resource}`, counted);
    return counted;
  }
}
