import { refs } from '@coracle/api';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import {
  type Call,
  callAdmissionWebhook,
  isOverlooked,
  planCall,
  type WebhookDependencies,
} from './call-admission-webhook.js';
import { annotateFailedOpen } from './webhook-annotations.js';
import { WebhookFailure } from './webhook-outcomes.js';
import { WebhookSource } from './webhook-source.js';

/** Calls the webhooks of ValidatingWebhookConfigurations concurrently. All of them must allow the request. */
export function validatingWebhooks(deps: WebhookDependencies): AdmissionPlugin {
  const source = new WebhookSource(deps.objects, refs.validatingWebhookConfigurations);
  return {
    name: 'ValidatingAdmissionWebhook',
    handles: () => true,
    concerns: (attributes) => source.current.for(attributes).length > 0,
    async validate(attributes) {
      const calls = await callsFor(deps, source, attributes);
      const outcomes = await Promise.allSettled(calls.map((call, index) => dispatch(deps, call, index)));
      const refused = outcomes.find((outcome) => outcome.status === 'rejected');
      if (refused) throw refused.reason instanceof WebhookFailure ? refused.reason.status : refused.reason;
    },
  };
}

async function callsFor(
  deps: WebhookDependencies,
  source: WebhookSource,
  attributes: AdmissionAttributes,
): Promise<readonly Call[]> {
  const calls: Call[] = [];
  for (const candidate of source.current.for(attributes)) {
    const call = await planCall(deps, candidate, attributes);
    if (call) calls.push(call);
  }
  return calls;
}

async function dispatch(deps: WebhookDependencies, call: Call, index: number): Promise<void> {
  const { item: webhook } = call.candidate;
  const measured = { webhook, type: 'validating', operation: call.attributes.operation } as const;
  try {
    await deps.meter.measure(measured, () => callAdmissionWebhook(deps, call, { mutating: false }));
  } catch (error) {
    if (!isOverlooked(deps, call, error)) throw error;
    deps.meter.overlooked(webhook.name, 'validating');
    annotateFailedOpen(call.attributes, { webhook, round: 0, index }, 'validating');
  }
}
