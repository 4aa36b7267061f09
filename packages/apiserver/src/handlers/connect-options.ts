import { apiVersionOf, type KubeObject } from '@coracle/apimachinery';
import type { RequestContext } from '../handler-chain.js';
import { isTrue } from '../parse-request-info.js';
import { kindOf } from '../registry/admission-versions.js';
import type { ServedResource } from '../served-resource.js';

type ReadOptions = (query: URLSearchParams, path: string) => Readonly<Record<string, unknown>>;

const streams: ReadOptions = (query) => {
  const container = query.get('container');
  const on = ['stdin', 'stdout', 'stderr', 'tty'].filter((name) => isTrue(query.get(name)));
  return { ...Object.fromEntries(on.map((name) => [name, true])), ...(container && { container }) };
};

/** Subresource → the fields of its options. */
const optionsOf: Readonly<Record<string, ReadOptions>> = {
  attach: streams,
  exec: (query, path) => ({ ...streams(query, path), command: query.getAll('command') }),
  portforward: (query) => {
    const ports = query.getAll('ports').flatMap((list) => list.split(',').map(Number));
    return ports.length > 0 ? { ports } : {};
  },
  proxy: (_query, path) => (path === '' ? {} : { path }),
};

/** The parts of a connect request that are read. */
interface Connection {
  readonly context: Pick<RequestContext, 'info' | 'query'>;
  readonly resource: Pick<ServedResource, 'info'>;
}

/** The object that admission sees for a connect request: `PodExecOptions` and the like, which have no metadata. */
export function connectOptions({ context, resource }: Connection): KubeObject {
  const { subresource, parts, path } = context.info;
  const gvk = kindOf(resource.info, subresource);
  const [, , , ...rest] = parts;
  const below = `${rest.map((part) => `/${part}`).join('')}${path.endsWith('/') ? '/' : ''}`;
  const options: object = {
    kind: gvk.kind,
    apiVersion: apiVersionOf(gvk),
    ...optionsOf[subresource]?.(context.query, below),
  };
  return options as KubeObject;
}
