import type { AdmissionAttributes } from '../admission.js';
import type { Webhook } from './webhook.js';

type Annotates = Pick<AdmissionAttributes, 'annotate'>;

/** A call of a webhook in the annotations of an audit event: webhooks are counted in the order of their calls. */
export interface AnnotatedCall {
  readonly webhook: Pick<Webhook, 'name' | 'configuration'>;
  /** 1 for a webhook that sees a write a second time. */
  readonly round: number;
  readonly index: number;
}

export function annotateMutation({ annotate }: Annotates, call: AnnotatedCall, mutated: boolean): void {
  annotate?.(keyOf('mutation', call), JSON.stringify({ ...named(call), mutated }));
}

/** The patch itself is noted where the object of the request is, too. */
export function annotatePatch({ annotate }: Annotates, call: AnnotatedCall, patch: unknown): void {
  annotate?.(keyOf('patch', call), JSON.stringify({ ...named(call), patch, patchType: 'JSONPatch' }), 'Request');
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
