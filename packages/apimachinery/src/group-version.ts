export interface GroupVersion {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

export interface GroupVersionResource extends GroupVersion {
  readonly resource: string;
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `v1` for the core group, `apps/v1` for any other. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The parts of an `apiVersion`. `undefined` when there is more than one slash. */
export function parseApiVersion(apiVersion: string): GroupVersion | undefined {
  const [first = '', second, ...rest] = apiVersion.split('/');
  if (rest.length > 0) return undefined;
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

/** `pods` or `deployments.apps`: how a resource is named in messages. */
export function qualifiedResource({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}
