import type { Deployment, PodTemplateSpec, ReplicaSet } from '@coracle/api';
import { deepEqual } from '@coracle/base';

export const hashLabel = 'pod-template-hash';
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Ten letters or so that stand for a template. A collision is told apart by the count of earlier ones. */
export function templateHash(template: PodTemplateSpec | undefined, collisionCount: number | undefined): string {
  const hash = fnv1a(JSON.stringify(sorted(template)) + (collisionCount === undefined ? '' : String(collisionCount)));
  return [...String(hash)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

/** The same object with its keys in order: equal templates must hash alike however they were written. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** Whether a replica set makes the pods that the deployment asks for; the label that tells revisions apart does not count. */
export function sameTemplate(deployment: Deployment, replicaSet: ReplicaSet): boolean {
  return deepEqual(withoutHash(deployment.spec?.template), withoutHash(replicaSet.spec?.template));
}

function withoutHash(template: PodTemplateSpec | undefined): unknown {
  const { [hashLabel]: _hash, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}
