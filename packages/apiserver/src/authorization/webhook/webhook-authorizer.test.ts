import { silentLogger, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import type { AccessAttributes } from '../authorizer.js';
import { webhookAuthorizer } from './webhook-authorizer.js';

const attributes: AccessAttributes = {
  user: { name: 'jane', groups: ['dev'] },
  verb: 'get',
  isResourceRequest: true,
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'default',
  name: 'web',
  path: '',
};

function start(answer: () => unknown, changes: Partial<Parameters<typeof webhookAuthorizer>[0]> = {}) {
  const clock = new VirtualClock();
  const reviews: unknown[] = [];
  const authorizer = webhookAuthorizer({
    name: 'hook',
    endpoint: {
      post: async (body) => {
        reviews.push(JSON.parse(body));
        return answer();
      },
    },
    version: 'v1',
    authorizedTtlMs: 300_000,
    unauthorizedTtlMs: 30_000,
    timeoutMs: 3_000,
    failurePolicy: 'NoOpinion',
    matchConditions: [],
    clock,
    logger: silentLogger,
    ...changes,
  });
  return { clock, reviews, authorizer };
}

describe('an authorization webhook', () => {
  test('AUTHZ-09 receives the user, the verb and the resource', async () => {
    const { authorizer, reviews } = start(() => ({ status: { allowed: true, reason: 'because' } }));
    expect(await authorizer.authorize(attributes)).toEqual({ kind: 'allow', reason: 'because' });
    expect(reviews).toEqual([
      {
        kind: 'SubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        metadata: {},
        spec: {
          resourceAttributes: { namespace: 'default', verb: 'get', version: 'v1', resource: 'pods', name: 'web' },
          user: 'jane',
          groups: ['dev'],
        },
      },
    ]);
  });

  test.each([
    [{ allowed: true }, 'allow'],
    [{ allowed: false, denied: true }, 'deny'],
    [{ allowed: false }, 'no-opinion'],
    [{ allowed: true, denied: true }, 'no-opinion'],
    [{}, 'no-opinion'],
  ])('AUTHZ-12 that responds with %j means %s', async (status, kind) => {
    const { authorizer } = start(() => ({ status }));
    expect((await authorizer.authorize(attributes)).kind).toBe(kind);
  });

  test('AUTHZ-10 is called again when its cached response expires', async () => {
    const { authorizer, reviews, clock } = start(() => ({ status: { allowed: true } }));
    for (let i = 0; i < 5; i++) await authorizer.authorize(attributes);
    expect(reviews.length).toBe(1);
    await clock.advance(300_001);
    await authorizer.authorize(attributes);
    expect(reviews.length).toBe(2);
  });

  test.each([
    ['NoOpinion', 'no-opinion'],
    ['Deny', 'deny'],
  ] as const)('AUTHZ-11 that cannot be asked counts, by its failure policy %s, as %s', async (failurePolicy, kind) => {
    const { authorizer, clock } = start(
      () => {
        throw new Error('connection refused');
      },
      { failurePolicy },
    );
    const decision = Promise.resolve(authorizer.authorize(attributes));
    for (let i = 0; i < 20; i++) await clock.advance(500);
    expect((await decision).kind).toBe(kind);
  });

  test.each([
    ["request.user == 'jane'", 1],
    ["request.user == 'joe'", 0],
    ["has(request.resourceAttributes) && request.resourceAttributes.namespace == 'default'", 1],
  ])('is called only for requests that match %s', async (expression, times) => {
    const { authorizer, reviews } = start(() => ({ status: { allowed: true } }), { matchConditions: [expression] });
    await authorizer.authorize(attributes);
    expect(reviews.length).toBe(times);
  });
});
