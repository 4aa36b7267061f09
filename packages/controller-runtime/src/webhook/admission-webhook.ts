import { type Exchange, StatusError, toBase64, writeJson } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';
import type { AdmissionAnswer, AdmissionHandler, AdmissionRequest } from './admission-review.js';
import { reviewExchange } from './review-exchange.js';

const encoder = new TextEncoder();

/** Answers AdmissionReviews (v1, v1beta1) by asking `handler`. */
export function admissionWebhook(handler: AdmissionHandler): Exchange {
  const answers = { kind: 'AdmissionReview', group: 'admission.k8s.io' };
  return reviewExchange<AdmissionRequest>(answers, async ({ request }) => onTheWire(await answerOf(handler, request)));
}

/** Calls the handlers in order. A mutating handler receives the object as those before it changed it; the first refusal ends the chain. */
export function chainHandlers(
  handlers: readonly AdmissionHandler[],
  apply: (object: unknown, patch: NonNullable<AdmissionAnswer['patch']>) => unknown,
): AdmissionHandler {
  return async (request) => {
    let object = request.object;
    let answer: AdmissionAnswer = { allowed: true };
    for (const handler of handlers) {
      const next = await answerOf(handler, { ...request, ...(object !== undefined && { object }) });
      answer = merged(answer, next);
      if (!answer.allowed) return answer;
      if (next.patch) object = apply(object, next.patch) as typeof object;
    }
    return answer;
  };
}

function merged(before: AdmissionAnswer, next: AdmissionAnswer): AdmissionAnswer {
  const patch = [...(before.patch ?? []), ...(next.patch ?? [])];
  const warnings = [...(before.warnings ?? []), ...(next.warnings ?? [])];
  return {
    ...next,
    ...(patch.length > 0 && { patch }),
    ...(warnings.length > 0 && { warnings }),
    ...((before.auditAnnotations || next.auditAnnotations) && {
      auditAnnotations: { ...before.auditAnnotations, ...next.auditAnnotations },
    }),
  };
}

async function answerOf(handler: AdmissionHandler, request: AdmissionRequest): Promise<AdmissionAnswer> {
  try {
    return await handler(request);
  } catch (error) {
    if (StatusError.is(error)) return { allowed: false, status: error.status };
    const message = messageOf(error);
    return { allowed: false, status: { code: 500, message } };
  }
}

function onTheWire({ patch, ...answer }: AdmissionAnswer): Readonly<Record<string, unknown>> {
  if (!patch || patch.length === 0 || !answer.allowed) return { ...answer };
  return { ...answer, patchType: 'JSONPatch', patch: toBase64(encoder.encode(writeJson(patch))) };
}
