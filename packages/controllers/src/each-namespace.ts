import { type Namespace, refs } from '@coracle/api';
import { isActive } from './active-namespace.js';
import { type ControllerContext, type KeyQueue, runKeyed } from './controller.js';

export interface NamespaceWork {
  /** Of the queue. */
  readonly name: string;
  /** What else makes a namespace worth a look; its key is its name. */
  watch(queue: KeyQueue): Disposable;
  /** Sees to it that the namespace has what it is to have. Not called for one that is being deleted. */
  ensure(namespace: Namespace): Promise<void>;
}

/** Creates something in every namespace, and keeps it there. */
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
