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
 * The index at `/openapi/v3`. The hash of a document is in its address, so that clients keep what has not changed;
 * it may be anything that differs when the document does, and need not be made from the document itself.
 */
export function openApiV3Index(names: readonly string[], hashOf: (name: string) => string): object {
  const entry = (name: string) => ({ serverRelativeURL: `/openapi/v3/${name}?hash=${hashOf(name)}` });
  return { paths: Object.fromEntries(names.map((name) => [name, entry(name)])) };
}

/** A hash of what a document is made from: the server's version, the resources, the schemas of custom ones. */
export function documentHash(parts: readonly string[]): string {
  const lanes = [0x811c9dc5, 0x01000193, 0x5bd1e995, 0x27d4eb2f];
  for (const part of parts) {
    // The separator keeps ['ab', 'c'] and ['a', 'bc'] apart.
    for (const text of [part, '\u0000'])
      for (let i = 0; i < text.length; i++)
        for (let lane = 0; lane < 4; lane++)
          lanes[lane] = Math.imul((lanes[lane] as number) ^ (text.charCodeAt(i) + lane), 0x01000193 + 2 * lane);
  }
  return lanes.map((lane) => (lane >>> 0).toString(16).padStart(8, '0').toUpperCase()).join('');
}
