import { type KubeObject, LabelSelector, parseApiVersion } from '@coracle/apimachinery';
import type { AdmissionAttributes } from '../admission.js';
import type { Binding, ParamKind, Policy } from './policy.js';

/** Finds the parameter objects of policies. */
export interface ParamSource {
  /** `undefined` for a kind that is not served. */
  find(kind: { readonly group: string; readonly version: string; readonly kind: string }): ParamResource | undefined;
}

export interface ParamResource {
  readonly namespaced: boolean;
  get(namespace: string, name: string): Promise<KubeObject | undefined>;
  list(namespace: string): Promise<readonly KubeObject[]>;
}

/** An error in the configuration of a policy or a binding. */
export class ConfigurationProblem extends Error {
  override readonly name = 'ConfigurationProblem';
  readonly isOfPolicy: boolean;

  constructor(message: string, isOfPolicy: boolean) {
    super(message);
    this.isOfPolicy = isOfPolicy;
  }
}

/** The kind of a policy's parameters; `undefined` if it has none. */
export function paramResource(source: ParamSource, { paramKind }: Policy): ParamResource | undefined {
  if (!paramKind) return undefined;
  const groupVersion = parseApiVersion(paramKind.apiVersion ?? '');
  const found = groupVersion && source.find({ ...groupVersion, kind: paramKind.kind ?? '' });
  if (found) return found;
  throw new ConfigurationProblem(
    `failed to configure policy: failed to find resource referenced by paramKind: '${shownKind(paramKind)}'`,
    true,
  );
}

function shownKind({ apiVersion = '', kind = '' }: ParamKind): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** The parameters with which a binding is evaluated; `null` for a binding without parameters. */
export async function paramsFor(
  resource: ParamResource | undefined,
  { paramRef }: Binding,
  { namespace }: AdmissionAttributes,
): Promise<readonly (KubeObject | null)[]> {
  if (!resource || !paramRef) return [null];
  const { name = '', selector, parameterNotFoundAction } = paramRef;
  const place = placeOf(resource, paramRef.namespace ?? '', namespace);
  const found = selector
    ? (await resource.list(place)).filter(({ metadata }) => selects(selector, metadata.labels))
    : [await resource.get(place, name)].filter((one) => one !== undefined);
  if (found.length > 0 || parameterNotFoundAction === 'Allow') return found;
  throw new ConfigurationProblem(
    'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    false,
  );
}

function selects(selector: object, labels: Readonly<Record<string, string>> | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector as {
    readonly matchLabels?: object;
    readonly matchExpressions?: readonly unknown[];
  };
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return true;
  return LabelSelector.fromObject(selector).matches(labels);
}

function placeOf({ namespaced }: ParamResource, stated: string, ofRequest: string): string {
  if (!namespaced) {
    if (stated === '') return '';
    throw new ConfigurationProblem(
      'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
      false,
    );
  }
  if (stated !== '') return stated;
  if (ofRequest !== '') return ofRequest;
  throw new ConfigurationProblem(
    'failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    false,
  );
}
