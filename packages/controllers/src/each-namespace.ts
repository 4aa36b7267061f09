import { type Namespace, refs } from '@coracle/api';
import { isActive } from './active-namespace.js';
import { type ControllerContext, type KeyQueue, runKeyed } from './controller.js';

export interface NamespaceWork {
  /** Name of the queue. */
  readonly name: string;
  /** Registers further triggers; the key is the name of a namespace. */
  watch(queue: KeyQueue): Disposable;
  /** Creates or repairs the object in the namespace. Not called for a terminating namespace. */
  ensure(namespace: Namespace): Promise<void>;
}

/** Keeps an object in every namespace. */
export function eachNamespace(context: ControllerContext, { name, watch, ensure }: NamespaceWork): AsyncDisposable {
  const namespaces = context.informers.for(refs.namespaces);
  return runKeyed(context, {
    name,
    workers: 1,
    watch: (queue) => [
      namespaces.addHandler(({ type, object }) => {
        if (type !== 'deleted') queue.add(object.metadata.name ?? '');
      }),
      watch(queue),
    ],
    reconcile: async (key) => {
      const namespace = namespaces.get(key);
      if (namespace && isActive(namespace)) await ensure(namespace);
    },
  });
}
