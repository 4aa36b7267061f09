import { refs } from '@coracle/api';
import { failure, type KubeObject, notFound, type ResourceRef } from '@coracle/apimachinery';
import type { SubresourceHandler, SubresourceTable } from '@coracle/apiserver';

/** What reaches into a container, or through a node. */
const waysIn: readonly (readonly [ref: ResourceRef<KubeObject>, subresources: readonly string[]])[] = [
  [refs.pods, ['attach', 'exec', 'log', 'portforward', 'proxy']],
  [refs.services, ['proxy']],
  [refs.nodes, ['proxy']],
];

/** Says plainly that simulated nodes run no processes which one could read from, attach to or connect to. */
export const containerAccess: SubresourceTable = Object.fromEntries(
  waysIn.flatMap(([ref, subresources]) =>
    subresources.map((subresource) => [`/${ref.resource}/${subresource}`, refusal(ref, subresource)]),
  ),
);

function refusal(ref: ResourceRef<KubeObject>, subresource: string): SubresourceHandler {
  return {
    async handle({ parts, write }) {
      const name = objectName(write.name);
      if (!parts.objects.get(ref, write.namespace, name)) throw notFound(ref, name);
      const message = `${ref.resource}/${subresource} is not available: nodes are simulated, and no process runs behind ${JSON.stringify(name)}`;
      throw failure('MethodNotAllowed', message, { name, kind: ref.resource });
    },
  };
}

/** Proxies take a scheme and a port beside the name: `https:web:8443`. */
function objectName(name: string): string {
  return /^(?:https?:)?([^:]*)/.exec(name)?.[1] ?? name;
}
