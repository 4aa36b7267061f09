import { type ApiRequest, StatusError } from '@coracle/apimachinery';
import type { ApiServerOptions } from '@coracle/apiserver';
import { describe, expect, test } from 'vitest';

type Authorizer = ReturnType<ApiServerOptions['authorizer']>;
type Authenticator = ReturnType<ApiServerOptions['authenticators']>[number];
type AccessAttributes = Parameters<Authorizer['authorize']>[0];

/** Requests that an authenticator is tried with. */
export interface AuthenticatorCases {
  readonly authenticator: Authenticator;
  /** With a valid credential of its kind, and its user. */
  readonly good: { readonly request: Partial<ApiRequest>; readonly user: string };
  /** With invalid credentials of its kind. */
  readonly bad: readonly Partial<ApiRequest>[];
}

const request: ApiRequest = { method: 'GET', path: '/api', query: '', headers: {} };

/** Requirements on every authenticator of the chain. */
export function describeAuthenticator({ authenticator, good, bad }: AuthenticatorCases): void {
  describe(`authenticator contract: ${authenticator.name}`, () => {
    test('a request without a credential of its kind is for the next one', async () => {
      expect(await authenticator.authenticate(request)).toBeUndefined();
    });

    test('a valid credential authenticates the user, each time as the same value', async () => {
      const ask = async () => (await authenticator.authenticate({ ...request, ...good.request }))?.user;
      const first = await ask();
      expect(first?.name).toBe(good.user);
      expect(await ask()).toEqual(first);
    });

    test.each(bad.map((one, index) => ({ one, index })))('bad credential $index is Unauthorized', async ({ one }) => {
      const ask = async () => await authenticator.authenticate({ ...request, ...one });
      const error: unknown = await ask().catch((reason: unknown) => reason);
      expect(StatusError.is(error) && error.status.code).toBe(401);
    });
  });
}

const stranger = { name: 'nobody-in-particular', groups: ['system:authenticated'] };

const attributes: AccessAttributes = {
  user: stranger,
  verb: 'get',
  isResourceRequest: true,
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'default',
  name: 'web',
  path: '/api/v1/namespaces/default/pods/web',
};

const questions: readonly AccessAttributes[] = [
  attributes,
  { ...attributes, verb: 'create', name: '', namespace: '' },
  { ...attributes, subresource: 'exec', verb: 'create' },
  { ...attributes, group: 'example.org', version: 'v1', resource: 'things' },
  { ...attributes, user: { name: '', groups: [] } },
  { ...attributes, isResourceRequest: false, resource: '', name: '', namespace: '', path: '/metrics' },
  { ...attributes, verb: '*', resource: '*', group: '*' },
];

/** Requirements on every authorizer of the union. It is called with an unknown user. */
export function describeAuthorizer(name: string, make: () => Authorizer, strangers: 'allow' | 'refuse'): void {
  describe(`authorizer contract: ${name}`, () => {
    test.each(questions)('answers $verb $group/$resource/$subresource $path, and never throws', async (question) => {
      const decision = await make().authorize(question);
      expect(['allow', 'deny', 'no-opinion']).toContain(decision.kind);
      expect(decision.kind === 'allow').toBe(strangers === 'allow');
      expect(typeof decision.reason).toBe('string');
    });

    test('gives the same result for the same request', async () => {
      const authorizer = make();
      expect(await authorizer.authorize(attributes)).toEqual(await authorizer.authorize(attributes));
    });

    test('lists rules without throwing, if it supports that', () => {
      const rules = make().rulesFor?.(stranger, 'default');
      if (rules) expect(Array.isArray(rules.resourceRules)).toBe(true);
    });
  });
}
