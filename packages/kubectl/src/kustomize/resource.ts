import { type Fields, recordAt, stringMapAt, textAt } from '../values.js';

/** An object during a build, with its earlier names. */
export interface KustomizeResource {
  object: Fields;
  /** Names and namespaces that it had in lower layers, the oldest first. */
  readonly names: { readonly name: string; readonly namespace: string }[];
  /** A hash of its content is appended to its name. */
  needsHash: boolean;
  /** Where it comes from, as `originAnnotations` show it. */
  origin?: Fields;
}

export function newResource(object: Fields, needsHash = false): KustomizeResource {
  return { object, names: [{ name: nameOf(object), namespace: namespaceOf(object) }], needsHash };
}

export function nameOf(object: Fields): string {
  return textAt(object, 'metadata', 'name');
}

export function namespaceOf(object: Fields): string {
  return textAt(object, 'metadata', 'namespace');
}

export function kindOf(object: Fields): string {
  return textAt(object, 'kind');
}

export function groupVersionOf(object: Fields): { group: string; version: string } {
  const [first = '', second] = textAt(object, 'apiVersion').split('/');
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

/** `ConfigMap.v1.[noGrp]/name.[noNs]`, as failures name a resource. */
export function idText(object: Fields): string {
  const { group, version } = groupVersionOf(object);
  return `${kindOf(object)}.${version}.${group || '[noGrp]'}/${nameOf(object)}.${namespaceOf(object) || '[noNs]'}`;
}

/** Whether a resource has, or had, this identity. */
export function isSame(resource: KustomizeResource, object: Fields): boolean {
  if (kindOf(resource.object) !== kindOf(object)) return false;
  const [own, other] = [groupVersionOf(resource.object), groupVersionOf(object)];
  if (own.group !== other.group || own.version !== other.version) return false;
  const namespace = namespaceOf(object);
  return [...resource.names, { name: nameOf(resource.object), namespace: namespaceOf(resource.object) }].some(
    (one) =>
      one.name === nameOf(object) &&
      (namespace === '' || one.namespace === namespace || (one.namespace === '' && namespace === 'default')),
  );
}

export function rename(resource: KustomizeResource, name: string): void {
  resource.object = { ...resource.object, metadata: { ...recordAt(resource.object, 'metadata'), name } };
}

/** Remembers the name that a resource has now. */
export function rememberName(resource: KustomizeResource): void {
  const now = { name: nameOf(resource.object), namespace: namespaceOf(resource.object) };
  const last = resource.names.at(-1);
  if (last?.name !== now.name || last.namespace !== now.namespace) resource.names.push(now);
}

export function labelsOf(object: Fields): Record<string, string> {
  return stringMapAt(object, 'metadata', 'labels');
}
