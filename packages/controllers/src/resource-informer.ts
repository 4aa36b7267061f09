import { refs } from '@coracle/api';
import { apiVersionOf, type KubeObject, type ResourceInfo } from '@coracle/apimachinery';
import { DisposableStack } from '@coracle/base';
import { createInformers, refOf, type SharedInformer } from '@coracle/client';
import type { ControllerContext } from './controller.js';

export interface ResourceInformer extends AsyncDisposable {
  readonly informer: SharedInformer<KubeObject>;
  /** Every server has this resource, so it can be relied on to sync. */
  readonly builtIn: boolean;
}

/**
 * An informer for any resource: the shared one if the resource is built in; else a separate one, for metadata alone,
 * because custom resources may be removed, and their informers with them.
 */
export function openInformer(context: ControllerContext, info: ResourceInfo): ResourceInformer {
  const builtInRef = Object.values(refs).find(
    (ref) => ref.resource === info.resource && apiVersionOf(ref) === apiVersionOf(info),
  );
  if (builtInRef) {
    // CRDs are cached without their schemas, which are most of their size and not needed here.
    const options = builtInRef === refs.customResourceDefinitions ? { metadataOnly: true } : undefined;
    const informer = context.informers.for<KubeObject>(builtInRef, options);
    return { informer, builtIn: true, async [Symbol.asyncDispose]() {} };
  }
  const parts = new DisposableStack();
  const informers = parts.use(createInformers(context));
  informers.start();
  const informer = informers.for<KubeObject>(refOf(info), { metadataOnly: true });
  return { informer, builtIn: false, [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() };
}
