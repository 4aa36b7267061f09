import type { Pod } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { deepCopy } from '@coracle/base';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionVersion } from '../admission.js';
import { AdmissionChain } from '../admission-chain.js';

export interface Write extends Partial<Omit<AdmissionAttributes, 'resource' | 'object'>> {
  /** `group/resource`, or the resource alone for the core group. */
  readonly resource?: string;
  readonly object?: object;
}

/** The admitted object, or the message of the rejection. */
export async function admit(
  plugin: AdmissionPlugin,
  { resource: full = 'pods', object, ...more }: Write,
): Promise<{ object?: KubeObject | undefined; error?: string; warnings: string[] }> {
  const [resource = '', group = ''] = full.split('/').reverse();
  const warnings: string[] = [];
  const copy = deepCopy(object) as KubeObject | undefined;
  const attributes: AdmissionAttributes = {
    operation: 'CREATE',
    resource: { group, version: 'v1', resource },
    kind: { group, version: 'v1', kind: copy?.kind ?? 'Pod' },
    requested: plainVersion(group, resource, copy?.kind ?? 'Pod'),
    equivalents: [],
    subresource: '',
    isNamespaced: true,
    namespace: 'default',
    name: copy?.metadata?.name ?? '',
    object: copy,
    oldObject: undefined,
    options: {},
    dryRun: false,
    user: { name: 'jane', groups: ['dev'] },
    warn: (message) => void warnings.push(message),
    ...more,
  };
  const chain = new AdmissionChain([plugin]);
  try {
    const mutated = await chain.mutate(attributes);
    await chain.validate({ ...attributes, object: mutated });
    return { object: mutated, warnings };
  } catch (error) {
    return { error: (error as Error).message, warnings };
  }
}

/** A version that equals the stored one. */
export function plainVersion(group: string, resource: string, kind: string): AdmissionVersion {
  const same = (object: KubeObject) => object;
  return {
    resource: { group, version: 'v1', resource },
    kind: { group, version: 'v1', kind },
    schema: { type: 'object', name: kind, fields: new Map() },
    fromStored: same,
    toStored: same,
  };
}

/** A pod of one container. */
export function pod(spec: Partial<Pod['spec'] & object> = {}, metadata: object = {}): Pod {
  return {
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', ...metadata },
    spec: { containers: [{ name: 'c' }], ...spec },
  };
}

/** An object of any kind. */
export const thing = (kind: string, name: string, more: object = {}): KubeObject =>
  ({ kind, metadata: { name }, ...more }) as KubeObject;
