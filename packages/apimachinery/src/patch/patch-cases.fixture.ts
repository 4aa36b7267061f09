import { schemaOf } from '@coracle/api';
import { deepFreeze } from '@coracle/base';
import { expect, it } from 'vitest';
import { applyStrategicMergePatch } from './strategic-merge-patch.js';

export const pod = schemaOf('core-v1/Pod');
export const deployment = schemaOf('apps-v1/Deployment');
export const service = schemaOf('core-v1/Service');
export const configMap = schemaOf('core-v1/ConfigMap');
export const revision = schemaOf('apps-v1/ControllerRevision');

export interface Case {
  readonly does: string;
  readonly schema?: typeof pod;
  readonly original: object;
  readonly patch: object;
  readonly gives: object;
}

/** A pod with these containers. */
export const containers = (...list: object[]) => ({ spec: { containers: list } });
export const [web, log, job] = [
  { name: 'web', image: 'web:1' },
  { name: 'log', image: 'log:1' },
  { name: 'job', image: 'job:1' },
];
export const finalizers = (...list: string[]) => ({ metadata: { finalizers: list } });

export const order = (...names: string[]) => ({ '$setElementOrder/containers': names.map((name) => ({ name })) });
export const ordered = (names: string[], ...list: object[]) => ({ spec: { ...order(...names), containers: list } });

/** Applies every patch, to objects that must not change. */
export function patchCases(cases: readonly Case[]): void {
  it.each(cases)('$does', ({ schema = pod, original, patch, gives }) => {
    expect(applyStrategicMergePatch(deepFreeze(original), deepFreeze(patch), schema)).toEqual(gives);
  });
}
