import { type Clock, isRecord, type Logger, type Millis, messageOf, RecentMap } from '@coracle/base';
import { hexDigest } from '../../hex-digest.js';
import type { WebhookEndpoint } from '../../outbound/webhook-endpoint.js';
import type { UserInfo } from '../../user-info.js';
import type { Authenticated } from '../authenticator.js';
import { badToken, type TokenAuthenticator } from '../bearer-token.js';

export interface WebhookTokenOptions {
  readonly endpoint: WebhookEndpoint;
  /** Of TokenReview. */
  readonly version: 'v1' | 'v1beta1';
  readonly cacheTtlMs: Millis;
  /** What the server's own audiences are. */
  readonly apiAudiences: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Answer {
  readonly until: Millis;
  readonly outcome: Authenticated | undefined;
}

const rememberAtMost = 4_096;

/** Reviews tokens by a webhook. Responses are cached by the digest of the token. */
export function webhookToken(options: WebhookTokenOptions): TokenAuthenticator {
  const { clock, cacheTtlMs, apiAudiences } = options;
  const answers = new RecentMap<string, Answer>(rememberAtMost);
  const asking = new Map<string, Promise<Authenticated | undefined>>();
  const ask = async (key: string, token: string, audiences: readonly string[]) => {
    const outcome = await review(options, token, audiences);
    if (cacheTtlMs > 0) answers.set(key, { until: clock.now() + cacheTtlMs, outcome });
    return outcome;
  };
  return {
    name: 'WebhookToken',
    async authenticateToken(token, audiences = apiAudiences) {
      const key = await hexDigest(new TextEncoder().encode(`${audiences.join()}\n${token}`));
      const cachedAnswer = answers.get(key);
      if (cachedAnswer && cachedAnswer.until > clock.now()) return cachedAnswer.outcome;
      // Concurrent requests with one token share a review.
      let answer = asking.get(key);
      if (!answer) {
        answer = ask(key, token, audiences).finally(() => asking.delete(key));
        asking.set(key, answer);
      }
      return await answer;
    },
  };
}

async function review(
  { endpoint, version, logger }: WebhookTokenOptions,
  token: string,
  audiences: readonly string[],
): Promise<Authenticated | undefined> {
  const body = {
    kind: 'TokenReview',
    apiVersion: `authentication.k8s.io/${version}`,
    metadata: {},
    spec: { token, audiences },
  };
  let answer: unknown;
  try {
    answer = await endpoint.post(JSON.stringify(body));
  } catch (error) {
    logger.error('token webhook failed', { error });
    throw badToken(`webhook: ${messageOf(error)}`);
  }
  const status = isRecord(answer) && isRecord(answer['status']) ? answer['status'] : {};
  if (status['authenticated'] !== true) {
    if (status['error']) throw badToken(`webhook: ${String(status['error'])}`);
    return undefined;
  }
  const audiencesInStatus = textsOf(status['audiences']);
  const good =
    audiencesInStatus.length === 0
      ? [...audiences]
      : audiencesInStatus.filter((audience) => audiences.includes(audience));
  if (good.length === 0) return undefined;
  return { user: userOf(status['user']), audiences: good };
}

function userOf(value: unknown): UserInfo {
  const { username, uid, groups, extra } = isRecord(value) ? value : {};
  if (typeof username !== 'string' || username === '') throw badToken('webhook: the user has no name');
  const extras = Object.entries(isRecord(extra) ? extra : {}).map(([key, values]) => [key, textsOf(values)] as const);
  return {
    name: username,
    ...(typeof uid === 'string' && uid !== '' && { uid }),
    groups: textsOf(groups),
    ...(extras.length > 0 && { extra: Object.fromEntries(extras) }),
  };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
