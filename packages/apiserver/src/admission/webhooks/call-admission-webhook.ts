import { forbidden, maxRequestBytes, timeout } from '@coracle/apimachinery';
import { andThen, type Clock, type Logger, type MaybePromise, type Random, randomUuid } from '@coracle/base';
import type { ObjectReader } from '../../object-reader.js';
import type { Outbound } from '../../outbound/outbound.js';
import { callWebhook, type WebhookCredentials, WebhookRefusal } from '../../outbound/webhook-client.js';
import type { AdmissionAttributes } from '../admission.js';
import { objectsIn, requestFields, type VersionedObjects } from '../expressions/admission-request.js';
import type { EvaluateExpressions } from '../expressions/evaluate-expressions.js';
import type { Candidate } from '../matching/candidates.js';
import { matchesName } from '../matching/match-rules.js';
import { matchesNamespace, matchesObject } from '../matching/match-selectors.js';
import { admissionReview, chooseReviewVersion, type ReviewAnswer, readAnswer } from './admission-review.js';
import { decodeAnswer } from './answer-schema.js';
import type { Webhook } from './webhook.js';
import { annotateAnswer } from './webhook-annotations.js';
import type { WebhookMeter } from './webhook-meter.js';
import { dryRunUnsupported, rejection, WebhookFailure } from './webhook-outcomes.js';

export interface WebhookDependencies {
  readonly objects: ObjectReader;
  readonly outbound: Outbound;
  readonly random: Random;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly evaluate: EvaluateExpressions;
  readonly credentials?: WebhookCredentials | undefined;
  readonly meter: WebhookMeter;
}

/** A webhook that matches a request. */
export interface Call {
  readonly candidate: Candidate<Webhook>;
  readonly attributes: AdmissionAttributes;
  readonly objects: VersionedObjects;
}

/** The call of a webhook that matches a request by all its constraints; `undefined` if it does not match. */
export function planCall(
  deps: WebhookDependencies,
  candidate: Candidate<Webhook>,
  attributes: AdmissionAttributes,
): MaybePromise<Call | undefined> {
  const { item, match } = candidate;
  if (!match.rules.some((rule) => matchesName(rule, attributes.name))) return undefined;
  if (!matchesObject(item.selectors, attributes)) return undefined;
  return andThen(matchesNamespace(item.selectors, attributes, deps.objects), (isIn) => {
    if (!isIn) return undefined;
    return andThen(objectsIn(attributes, match.version), (objects) =>
      andThen(meetsConditions(deps, { candidate, attributes, objects }), (meets) =>
        meets ? { candidate, attributes, objects } : undefined,
      ),
    );
  });
}

function meetsConditions(deps: WebhookDependencies, call: Call): MaybePromise<boolean> {
  const { candidate, attributes, objects } = call;
  const { conditions, ignoresFailure, name } = candidate.item;
  if (conditions.isEmpty) return true;
  const request = requestFields(attributes, candidate.match.version);
  const { object = null, oldObject = null } = objects;
  const outcome = deps.evaluate(attributes, (authorizer) =>
    conditions.evaluate({ object, oldObject, request, ...authorizer }),
  );
  return andThen(outcome, (met) => {
    if (met.kind !== 'error') return met.kind === 'matches';
    deps.logger.info('match conditions of a webhook failed', { webhook: name, error: met.message });
    if (ignoresFailure) return false;
    throw forbidden(attributes.resource, attributes.name, met.message);
  });
}

/** Calls a webhook. Throws the rejection if it denies the request, and a `WebhookFailure` if the call fails. */
export async function callAdmissionWebhook(
  deps: WebhookDependencies,
  call: Call,
  { mutating }: { readonly mutating: boolean },
): Promise<ReviewAnswer> {
  const { candidate, attributes, objects } = call;
  const { item: webhook, match } = candidate;
  if (attributes.dryRun && webhook.hasSideEffects) throw dryRunUnsupported(webhook.name);
  const uid = randomUuid(deps.random);
  const reviewVersion = orFailure(webhook, 400, () => chooseReviewVersion(webhook.reviewVersions));
  const review = admissionReview({ attributes, version: match.version, objects }, { uid, reviewVersion });
  const answer = await send(deps, call, review).catch((error: Error) => {
    const { cause } = error;
    throw new WebhookFailure(webhook.name, error, cause instanceof WebhookRefusal ? cause.code : mutating ? 503 : 400);
  });
  const read = orFailure(webhook, 503, () => readAnswer(answer, { uid, apiVersion: review.apiVersion, mutating }));
  annotateAnswer(attributes, webhook.name, read.auditAnnotations);
  for (const warning of read.warnings) attributes.warn(warning);
  if (!read.allowed) throw rejection(webhook.name, read.status);
  return read;
}

async function send(deps: WebhookDependencies, { candidate, attributes }: Call, review: object): Promise<unknown> {
  const { outbound, credentials, clock } = deps;
  const { client, timeoutMs } = candidate.item;
  const { endsAt, signal } = attributes.lifetime ?? {};
  const availableMs = endsAt === undefined ? timeoutMs : Math.min(timeoutMs, endsAt - clock.now());
  const query = availableMs > 0 ? `timeout=${Math.ceil(availableMs / 1000)}s` : '';
  try {
    const bounds = { timeoutMs, maxBytes: maxRequestBytes, ...(signal && { signal }) };
    return decodeAnswer(await callWebhook({ outbound, client, credentials, query, review, ...bounds }));
  } catch (error) {
    throw new Error(`failed to call webhook: ${(error as Error).message}`, { cause: error });
  }
}

function orFailure<T>(webhook: Webhook, code: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new WebhookFailure(webhook.name, error, code);
  }
}

/**
 * The webhook did not answer, and its policy is to go on without it. Throws if there is no point in that, because the
 * request is over.
 */
export function isOverlooked(
  deps: WebhookDependencies,
  { candidate: { item: webhook }, attributes: { lifetime } }: Call,
  error: unknown,
): error is WebhookFailure {
  if (!(error instanceof WebhookFailure) || !webhook.ignoresFailure) return false;
  if (lifetime?.signal.aborted) throw timeout('request did not complete within requested timeout', 0);
  deps.logger.info('webhook failed, failing open', { webhook: webhook.name, error: error.message });
  return true;
}
