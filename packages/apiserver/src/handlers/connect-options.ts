import { apiVersionOf, type KubeObject } from '@coracle/apimachinery';
import { isTrue } from '../parse-request-info.js';
import { kindOf } from '../registry/admission-versions.js';
import type { ResourceOperation } from './operation.js';

type ReadOptions = (query: URLSearchParams, path: string) => Readonly<Record<string, unknown>>;

const streams: ReadOptions = (query) => {
  const container = query.get('container');
  const on = ['stdin', 'stdout', 'stderr', 'tty'].filter((name) => isTrue(query.get(name)));
  return { ...Object.fromEntries(on.map((name) => [name, true])), ...(container && { container }) };
};

/** Subresource → what its options are read from. */
const optionsOf: Readonly<Record<string, ReadOptions>> = {
  attach: streams,
  exec: (query, path) => ({ ...streams(query, path), command: query.getAll('command') }),
  portforward: (query) => {
    const ports = query.getAll('ports').flatMap((list) => list.split(',').map(Number));
    return ports.length > 0 ? { ports } : {};
  },
  proxy: (_query, path) => (path === '' ? {} : { path }),
};

/**
 * What admission is shown of a request that opens a connection: `PodExecOptions` and the like, which have no metadata.
 */
export function connectOptions({ context, resource }: ResourceOperation): KubeObject {
  const { subresource } = context.info;
  const gvk = kindOf(resource.info, subresource);
  const [, below = ''] = context.request.path.split(`/${subresource}`, 2);
  const options: object = {
    kind: gvk.kind,
    apiVersion: apiVersionOf(gvk),
    ...optionsOf[subresource]?.(context.query, below),
  };
  return options as KubeObject;
}
