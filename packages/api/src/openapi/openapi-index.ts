import { apiVersionOf, type GroupVersion, type ResourceInfo } from '@coracle/apimachinery';
import { otherOperations } from './discovery-operations.js';

/** `api/v1`, `apis/apps/v1`: the name of a group version's document, which is also the end of its path. */
export function openApiV3Name(groupVersion: GroupVersion): string {
  return groupVersion.group === '' ? `api/${groupVersion.version}` : `apis/${apiVersionOf(groupVersion)}`;
}

/** The names of all documents of version 3 of a server that serves these resources. */
export function openApiV3Names(resources: readonly ResourceInfo[]): string[] {
  const groups = resources.map(({ group }) => (group === '' ? 'api' : `apis/${group}`));
  return [...new Set([...Object.keys(otherOperations), 'api', ...groups, ...resources.map(openApiV3Name)])].sort();
}

/**
 * The index at `/openapi/v3`. The hash of a document is in its address, so that clients keep what has not changed.
 */
export function openApiV3Index(names: readonly string[], hashOf: (name: string) => string): object {
  const entry = (name: string) => ({ serverRelativeURL: `/openapi/v3/${name}?hash=${hashOf(name)}` });
  return { paths: Object.fromEntries(names.map((name) => [name, entry(name)])) };
}
