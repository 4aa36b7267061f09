import type { ApiRequest, ApiResponse } from '@coracle/apimachinery';
import { type Metrics, noMetrics, seededRandom, silentLogger, type VirtualClock } from '@coracle/base';
import { startTestServer, type TestServer } from '../../server.fixture.js';
import { expressionEvaluator } from '../expressions/evaluate-expressions.js';
import type { WebhookDependencies } from './call-admission-webhook.js';
import { mutatingWebhooks } from './mutating-webhooks.js';
import { validatingWebhooks } from './validating-webhooks.js';
import { WebhookMeter } from './webhook-meter.js';

// biome-ignore lint/suspicious/noExplicitAny: reviews are read without types
export type Review = any;

export const service = { namespace: 'hooks', name: 'hook', path: '/review' };

/** What a webhook responds to a review; its whole answer if it has a status. */
export type Responder = (review: Review, request: ApiRequest) => object | Promise<object>;

/** A server with webhooks, whose service `respond` answers for. */
export async function startWebhookServer(
  clock: VirtualClock,
  respond: Responder,
  metrics: Metrics = noMetrics,
): Promise<TestServer> {
  const authorizer = { name: 'All', authorize: () => ({ kind: 'allow', reason: '' }) as const };
  const server = await startTestServer({
    clock,
    admission: ({ objects, outbound }) => {
      const evaluate = expressionEvaluator(authorizer, () => ({}));
      const meter = new WebhookMeter({ clock, metrics });
      const random = seededRandom(1);
      const deps: WebhookDependencies = { objects, outbound, clock, random, evaluate, meter, logger: silentLogger };
      return [mutatingWebhooks(deps), validatingWebhooks(deps)];
    },
  });
  server.server.parts.outbound.register(service, { exchange: (request) => answer(request, respond) });
  return server;
}

async function answer(request: ApiRequest, respond: Responder): Promise<ApiResponse> {
  const { body } = request;
  const review = JSON.parse(new TextDecoder().decode(body?.kind === 'bytes' ? body.bytes : undefined));
  const response = await respond(review.request, request);
  if ('status' in response && typeof response.status === 'number') return response as ApiResponse;
  const value = { ...review, request: undefined, response: { uid: review.request.uid, allowed: true, ...response } };
  return { status: 200, headers: {}, body: { kind: 'value', value } };
}

/** Creates a configuration with one webhook for all resources. */
export async function installWebhook(
  server: TestServer,
  kind: 'mutating' | 'validating',
  more: object = {},
): Promise<void> {
  const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }];
  const webhook = { clientConfig: { service }, rules, admissionReviewVersions: ['v1'], sideEffects: 'None', ...more };
  const path = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`;
  const { status, body } = await server.call('POST', path, {
    metadata: { name: 'test' },
    webhooks: [{ name: 'hook.example.com', ...webhook }],
  });
  if (status !== 201) throw new Error(body.message);
}
