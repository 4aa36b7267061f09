import { isQualifiedName, writeJson } from '@coracle/apimachinery';
import type { AdmissionAttributes } from '../admission.js';
import type { Webhook } from './webhook.js';

type Annotates = Pick<AdmissionAttributes, 'annotate'>;

/** Audit annotations for a call of a webhook. Webhooks are numbered in the order of their calls. */
export interface AnnotatedCall {
  readonly webhook: Pick<Webhook, 'name' | 'configuration'>;
  /** 1 for the second call for the same write. */
  readonly round: number;
  readonly index: number;
}

export function annotateMutation({ annotate }: Annotates, call: AnnotatedCall, mutated: boolean): void {
  annotate?.(keyOf('mutation', call), JSON.stringify({ ...named(call), mutated }));
}

/** At the level Request and above the patch itself is recorded too, each operation with its fields in order. */
export function annotatePatch({ annotate }: Annotates, call: AnnotatedCall, operations: readonly object[]): void {
  const patch = operations.map((operation) => Object.fromEntries(Object.entries(operation).sort(byName)));
  annotate?.(keyOf('patch', call), writeJson({ ...named(call), patch, patchType: 'JSONPatch' }), 'Request');
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/**
 * Audit annotations from the response of a webhook. Keys that are not qualified names with the webhook's name as their
 * prefix are dropped.
 */
export function annotateAnswer(
  { annotate }: Annotates,
  webhook: string,
  answer: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(answer)) {
    const key = `${webhook}/${name}`;
    if (isQualifiedName(key).length === 0) annotate?.(key, value);
  }
}

/** The request goes on although the webhook failed. */
export function annotateFailedOpen(
  { annotate }: Annotates,
  call: AnnotatedCall,
  kind: 'mutation' | 'validating',
): void {
  annotate?.(keyOf(`failed-open.${kind}`, call), call.webhook.name);
}

function keyOf(what: string, { round, index }: AnnotatedCall): string {
  return `${what}.webhook.admission.k8s.io/round_${round}_index_${index}`;
}

function named({ webhook: { configuration, name } }: AnnotatedCall): object {
  return { configuration, webhook: name };
}
