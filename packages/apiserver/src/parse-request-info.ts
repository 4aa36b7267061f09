import { badRequest, parseFieldSelector } from '@coracle/apimachinery';
import type { RequestInfo } from './request-info.js';

/** Subresources of a namespace that are not resources in it: `/api/v1/namespaces/x/status`. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

const verbByMethod: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * Parses the method, path and query of a request. The path is decoded before it is split, as Go's
 * server does: `%2F` separates segments as a slash does.
 *
 *     /api/v1/namespaces/{namespace}/{resource}/{name}/{subresource}
 *     /apis/{group}/{version}/{resource}
 *     /apis/{group}/{version}/watch/{resource}            (the old way to request a watch)
 */
export function parseRequestInfo(method: string, encodedPath: string, query: URLSearchParams): RequestInfo {
  const path = decodePath(encodedPath);
  const segments = path.split('/').filter((segment) => segment !== '');
  const [apiPrefix = ''] = segments;
  if (segments.length < 3 || (apiPrefix !== 'api' && apiPrefix !== 'apis')) return nonResource(method, path);
  const isCore = apiPrefix === 'api';
  // `/apis/group/version` is discovery; a resource request continues after it.
  if (!isCore && segments.length < 4) return { ...nonResource(method, path), apiPrefix };
  const group = isCore ? '' : (segments[1] as string);
  const version = segments[isCore ? 1 : 2] as string;
  const parts = segments.slice(isCore ? 2 : 3);
  return resourceRequest({ path, apiPrefix, group, version }, parts, { method, query });
}

function nonResource(method: string, path: string): RequestInfo {
  return {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiPrefix: '',
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
  };
}

function resourceRequest(
  { path, apiPrefix, group, version }: Pick<RequestInfo, 'path' | 'apiPrefix' | 'group' | 'version'>,
  segments: readonly string[],
  { method, query }: { readonly method: string; readonly query: URLSearchParams },
): RequestInfo {
  let parts = segments;
  let verb = verbByMethod[method] ?? '';
  const first = parts[0];
  const special = parts.length > 1 && (first === 'watch' || first === 'proxy') ? first : undefined;
  if (special) {
    verb = special;
    parts = parts.slice(1);
  }
  let namespace = '';
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1] as string;
    if (parts.length > 2 && !namespaceSubresources.has(parts[2] as string)) parts = parts.slice(2);
  }
  const [resource = '', pathName = '', subresource = ''] = parts;
  const fieldSelector = query.get('fieldSelector') ?? undefined;
  const labelSelector = query.get('labelSelector') ?? undefined;
  let name = pathName;
  if (name === '' && verb === 'get') {
    verb = isTrue(query.get('watch')) ? 'watch' : 'list';
    name = nameInSelector(fieldSelector);
  } else if (name === '' && verb === 'delete') verb = 'deletecollection';
  return {
    isResourceRequest: true,
    path,
    verb,
    apiPrefix,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    parts,
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(labelSelector !== undefined && { labelSelector }),
  };
}

/** Permission to read one object by name includes a list with a field selector for that name. */
function nameInSelector(fieldSelector: string | undefined): string {
  const name = valueInSelector(fieldSelector, 'metadata.name') ?? '';
  return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name;
}

/**
 * The value that a field selector requires of a field, for authorization: the handler that reads the collection
 * validates the selector.
 */
export function valueInSelector(fieldSelector: string | undefined, field: string): string | undefined {
  if (!fieldSelector?.includes(field)) return undefined;
  try {
    return parseFieldSelector(fieldSelector).requiredValue(field);
  } catch {
    return undefined;
  }
}

/** Parses a boolean in a query as upstream does: the bare name means true. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    throw badRequest(`invalid URL escape in ${JSON.stringify(path)}`);
  }
}
