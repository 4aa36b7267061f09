import { refs } from '@coracle/api';
import {
  apiVersionOf,
  applyJsonPatch,
  internalError,
  type KubeObject,
  readJson,
  StatusError,
} from '@coracle/apimachinery';
import { deepEqual, isRecord, messageOf } from '@coracle/base';
import type { AdmissionAttributes, AdmissionPlugin, MutationRounds } from '../admission.js';
import { restoredFrom } from '../expressions/admission-request.js';
import { Reinvocations } from '../reinvocations.js';
import {
  type Call,
  callAdmissionWebhook,
  isOverlooked,
  planCall,
  type WebhookDependencies,
} from './call-admission-webhook.js';
import { patchedVersion } from './patched-version.js';
import { type AnnotatedCall, annotateFailedOpen, annotateMutation, annotatePatch } from './webhook-annotations.js';
import { nothingToChange, WebhookFailure } from './webhook-outcomes.js';
import { WebhookSource } from './webhook-source.js';

const pluginName = 'MutatingAdmissionWebhook';

/**
 * Calls the webhooks of MutatingWebhookConfigurations, one after the other: each sees the object that the previous one
 * returned.
 */
export function mutatingWebhooks(deps: WebhookDependencies): AdmissionPlugin {
  const source = new WebhookSource(deps.objects, refs.mutatingWebhookConfigurations);
  return {
    name: pluginName,
    handles: () => true,
    concerns: (attributes) => source.current.for(attributes).length > 0,
    mutate: (attributes, rounds) => dispatchAll(deps, source, { attributes, rounds }),
  };
}

async function dispatchAll(
  deps: WebhookDependencies,
  source: WebhookSource,
  { attributes: first, rounds }: { readonly attributes: AdmissionAttributes; readonly rounds: MutationRounds },
): Promise<KubeObject | undefined> {
  let attributes = first;
  const reinvocations = Reinvocations.of(rounds, pluginName);
  reinvocations.beginRound(attributes.object);
  for (const candidate of source.current.for(attributes)) {
    const { item: webhook } = candidate;
    if (!reinvocations.isDue(webhook.id)) continue;
    const call = await planCall(deps, candidate, attributes);
    if (!call) continue;
    const changed = await dispatch(deps, call, rounds.isRepeated ? 1 : 0);
    if (changed) {
      attributes = { ...attributes, object: changed };
      reinvocations.changed();
    }
    if (webhook.mayBeReinvoked) reinvocations.invoked(webhook.id);
  }
  reinvocations.endRound(attributes.object);
  return attributes.object;
}

/** The object that a webhook returns; `undefined` if it is unchanged. */
async function dispatch(deps: WebhookDependencies, call: Call, round: number): Promise<KubeObject | undefined> {
  const { attributes } = call;
  const { item: webhook } = call.candidate;
  const annotated: AnnotatedCall = { webhook, round, index: webhook.index };
  const measured = { webhook, type: 'admit', operation: attributes.operation } as const;
  try {
    return await deps.meter.measure(measured, async () => {
      const { patch } = await callAdmissionWebhook(deps, call, { mutating: true });
      const operations = patch === undefined ? [] : operationsIn(patch, webhook.name);
      const changed = await patched(call, operations);
      annotateMutation(attributes, annotated, changed !== undefined);
      if (operations.length > 0) annotatePatch(attributes, annotated, operations);
      return changed;
    });
  } catch (error) {
    annotateMutation(attributes, annotated, false);
    if (isOverlooked(deps, call, error)) {
      deps.meter.overlooked(webhook.name, 'admit');
      annotateFailedOpen(attributes, annotated, 'mutation');
      return undefined;
    }
    throw error instanceof WebhookFailure ? error.status : error;
  }
}

/** A response whose patch is not a list of operations is a failure of the webhook: its failure policy applies. */
function operationsIn(patch: string, webhook: string): readonly object[] {
  try {
    const operations: unknown = readJson(patch) ?? [];
    if (Array.isArray(operations) && operations.every(isRecord)) return operations;
    throw new Error('it is no list of operations');
  } catch (error) {
    const why = `received undecodable patch in webhook response: ${messageOf(error)}`;
    throw new WebhookFailure(webhook, new Error(why, { cause: error }), 503);
  }
}

async function patched(
  { candidate, attributes, objects: { object } }: Call,
  patch: readonly object[],
): Promise<KubeObject | undefined> {
  const { item: webhook, match } = candidate;
  if (patch.length === 0) return undefined;
  if (!object) throw nothingToChange(webhook.name);
  const changed = applied(object, patch);
  if (deepEqual(changed, object)) return undefined;
  const version = patchedVersion(attributes, match.version, changed);
  try {
    const { kind } = version.kind;
    return await restoredFrom(attributes, version, { ...changed, kind, apiVersion: apiVersionOf(version.kind) });
  } catch (error) {
    throw internalError(error);
  }
}

/** A patch that cannot be applied is an internal error with the reason. */
function applied(object: KubeObject, patch: readonly object[]): KubeObject {
  try {
    return applyJsonPatch(object, patch);
  } catch (error) {
    if (!StatusError.is(error)) throw error;
    throw internalError(error.cause ?? new Error(error.message));
  }
}
