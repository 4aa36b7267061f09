import { CelEnvironment, type CelProgram, dynType, fromJson } from '@coracle/apimachinery';
import {
  type Clock,
  isRecord,
  type Logger,
  type MaybePromise,
  type Millis,
  messageOf,
  RecentMap,
  sleep,
} from '@coracle/base';
import type { WebhookEndpoint } from '../../outbound/webhook-endpoint.js';
import type { AccessAttributes, Authorizer, Decision } from '../authorizer.js';

export interface WebhookAuthorizerOptions {
  readonly name: string;
  readonly endpoint: WebhookEndpoint;
  /** Of SubjectAccessReview. */
  readonly version: 'v1' | 'v1beta1';
  readonly authorizedTtlMs: Millis;
  readonly unauthorizedTtlMs: Millis;
  readonly timeoutMs: Millis;
  /** Decision if the call of the webhook fails. */
  readonly failurePolicy: 'NoOpinion' | 'Deny';
  /** Conditions in CEL; the webhook is called only for requests that match all of them. */
  readonly matchConditions: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

const rememberAtMost = 8_192;
/** Larger reviews are not cached, so that a client cannot fill the memory with them. */
const mostRemembered = 10_000;
const attempts = 5;
const firstBackoffMs: Millis = 500;
const noOpinion: Decision = { kind: 'no-opinion', reason: '' };

/** Authorizes requests by a webhook. */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { clock } = options;
  const conditions = options.matchConditions.map((text) => conditionEnvironment().compile(text));
  const answers = new RecentMap<string, { readonly until: Millis; readonly decision: Decision }>(rememberAtMost);
  const ask = async (question: object, key: string): Promise<Decision> => {
    const decision = await review(options, question);
    const ttlMs = decision.kind === 'allow' ? options.authorizedTtlMs : options.unauthorizedTtlMs;
    const isFinal = decision.kind !== 'no-opinion' || decision.error === undefined;
    if (ttlMs > 0 && isFinal && key.length <= mostRemembered)
      answers.set(key, { until: clock.now() + ttlMs, decision });
    return decision;
  };
  return {
    name: options.name,
    authorize(attributes): MaybePromise<Decision> {
      const spec = reviewSpec(attributes);
      const matched = matches(conditions, spec, options);
      if (matched !== true) return matched;
      const key = JSON.stringify(spec);
      const cachedAnswer = answers.get(key);
      return cachedAnswer && cachedAnswer.until > clock.now() ? cachedAnswer.decision : ask(spec, key);
    },
    rulesFor: () => ({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: 'webhook authorizer does not support user rule resolution',
    }),
  };
}

let environment: CelEnvironment | undefined;

function conditionEnvironment(): CelEnvironment {
  environment ??= new CelEnvironment({ variables: { request: dynType } });
  return environment;
}

/** A condition that is not met counts before one that fails. */
function matches(
  conditions: readonly CelProgram[],
  spec: object,
  { failurePolicy }: WebhookAuthorizerOptions,
): true | Decision {
  if (conditions.length === 0) return true;
  const request = fromJson(spec);
  let error: string | undefined;
  for (const condition of conditions) {
    const outcome = condition.run({ request });
    if (outcome.error) error ??= outcome.error.message;
    else if (outcome.value !== true) return noOpinion;
  }
  if (error === undefined) return true;
  return failurePolicy === 'Deny' ? { kind: 'deny', reason: error } : { kind: 'no-opinion', reason: '', error };
}

/** The `spec` of a SubjectAccessReview. */
function reviewSpec({ user, isResourceRequest, ...attributes }: AccessAttributes): object {
  const { verb, group, version, resource, subresource, namespace, name, path, fieldSelector } = attributes;
  return {
    ...(isResourceRequest
      ? {
          resourceAttributes: {
            ...(namespace !== '' && { namespace }),
            verb,
            ...(group !== '' && { group }),
            version,
            resource,
            ...(subresource !== '' && { subresource }),
            ...(name !== '' && { name }),
            ...(fieldSelector !== undefined && { fieldSelector: { rawSelector: fieldSelector } }),
          },
        }
      : { nonResourceAttributes: { path, verb } }),
    user: user.name,
    ...(user.uid && { uid: user.uid }),
    groups: user.groups,
    ...(user.extra && { extra: user.extra }),
  };
}

async function review(options: WebhookAuthorizerOptions, spec: object): Promise<Decision> {
  const { version, clock, timeoutMs, failurePolicy, name, logger } = options;
  const body = JSON.stringify({
    kind: 'SubjectAccessReview',
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: {},
    spec,
  });
  const late = new AbortController();
  const timer = clock.schedule(timeoutMs, () => late.abort(new Error('context deadline exceeded')));
  try {
    return decisionOf(await post(options, body, late.signal));
  } catch (error) {
    logger.error('authorization webhook failed', { webhook: name, error });
    const message = messageOf(error);
    return failurePolicy === 'Deny'
      ? { kind: 'deny', reason: message }
      : { kind: 'no-opinion', reason: '', error: message };
  } finally {
    timer[Symbol.dispose]();
  }
}

async function post(
  { endpoint, clock }: WebhookAuthorizerOptions,
  body: string,
  signal: AbortSignal,
): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await endpoint.post(body, signal);
    } catch (error) {
      if (attempt >= attempts || signal.aborted) throw error;
      await sleep(clock, firstBackoffMs * 1.5 ** (attempt - 1), signal);
    }
  }
}

function decisionOf(answer: unknown): Decision {
  const status = isRecord(answer) && isRecord(answer['status']) ? answer['status'] : {};
  const reason = typeof status['reason'] === 'string' ? status['reason'] : '';
  const { allowed, denied, evaluationError } = status;
  if (allowed === true && denied === true)
    throw new Error('webhook subject access review returned both allow and deny response');
  if (denied === true) return { kind: 'deny', reason };
  if (allowed === true) return { kind: 'allow', reason };
  return { kind: 'no-opinion', reason, ...(evaluationError ? { error: String(evaluationError) } : {}) };
}
