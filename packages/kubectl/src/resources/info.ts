import { qualifiedResource, type ResourceInfo } from '@coracle/apimachinery';
import type { Fields } from '../values.js';

/** One object of a command: its source, its identity, and its content once that is known. */
export interface Info {
  /** Absent where no request is sent. */
  readonly mapping?: ResourceInfo;
  readonly namespace: string;
  readonly name: string;
  /** The file or URL that it was read from; empty for objects that were named. */
  readonly source: string;
  object?: Fields;
}

/** `pods/web`, as messages name an object. */
export function resourceName({ mapping, name }: Pick<Info, 'mapping' | 'name'>): string {
  return `${mapping?.resource ?? ''}/${name}`;
}

/** `deployment.apps`, as objects are named by type. */
export function kindName(kind: string, group: string): string {
  return group === '' ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
}

/** `deployments.apps "web"`. */
export function quotedName({ mapping, name }: Pick<Info, 'mapping' | 'name'>): string {
  return `${mapping ? qualifiedResource(mapping) : ''} ${JSON.stringify(name)}`;
}

/** `/v1, Resource=pods`, as Go prints a resource. */
export function goResource({ group, version, resource }: Pick<ResourceInfo, 'group' | 'version' | 'resource'>): string {
  return `${group}/${version}, Resource=${resource}`;
}

export function goKind({ group, version, kind }: Pick<ResourceInfo, 'group' | 'version' | 'kind'>): string {
  return `${group}/${version}, Kind=${kind}`;
}

export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** The resource and the object, as in error messages of apply. */
export function mappingText({ mapping, name, namespace }: Info): string {
  if (!mapping) return '';
  return `Resource: ${JSON.stringify(goResource(mapping))}, GroupVersionKind: ${JSON.stringify(goKind(mapping))}\nName: ${JSON.stringify(name)}, Namespace: ${JSON.stringify(namespace)}`;
}
