import { aggregate } from '@coracle/apimachinery';
import type { MaybePromise } from '@coracle/base';
import type { ObjectReader } from '../object-reader.js';
import { abac } from './abac/abac-authorizer.js';
import type { AccessAttributes, AccessRules, Authorizer, Decision, LocalAuthorizer } from './authorizer.js';
import { nodeAuthorizer } from './node/node-authorizer.js';
import { rbac } from './rbac/rbac-authorizer.js';

const noOpinion: Decision = { kind: 'no-opinion', reason: '' };

/**
 * Members of `system:masters` may do everything, whatever else is configured, so that administrators cannot lock
 * themselves out.
 */
export const privilegedGroup: LocalAuthorizer = {
  name: 'PrivilegedGroup',
  authorize: ({ user }) => (user.groups.includes('system:masters') ? { kind: 'allow', reason: '' } : noOpinion),
};

const alwaysAllow: Authorizer = {
  name: 'AlwaysAllow',
  authorize: () => ({ kind: 'allow', reason: '' }),
  rulesFor: () => ({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  }),
};

/** Has no opinion rather than denying, so that a mode behind it may still allow. */
const alwaysDeny: Authorizer = {
  name: 'AlwaysDeny',
  authorize: () => ({ kind: 'no-opinion', reason: 'Everything is forbidden.' }),
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
};

/** Settings of the modes, besides the objects. */
export interface AuthorizerSettings {
  /** The text of `--authorization-policy-file`. */
  readonly policies?: string;
}

/** Mode of `--authorization-mode` → what it brings. */
export type AuthorizerFactory = (objects: ObjectReader, settings?: AuthorizerSettings) => Authorizer;

export const authorizerByMode: Readonly<Record<string, AuthorizerFactory>> = {
  ABAC: (_objects, { policies } = {}) => {
    if (policies === undefined) throw new Error("authorization-mode ABAC's authorization policy file not passed");
    return abac(policies);
  },
  AlwaysAllow: () => alwaysAllow,
  AlwaysDeny: () => alwaysDeny,
  Node: nodeAuthorizer,
  RBAC: rbac,
};

/**
 * Calls each in turn: the first that allows or denies decides. Reasons of those without an opinion are reported with
 * the denial.
 */
export function union(authorizers: readonly Authorizer[]): Authorizer {
  return {
    name: authorizers.map(({ name }) => name).join(),
    authorize: (attributes) => askFrom(0, authorizers, { attributes, reasons: [], errors: [] }),
    rulesFor: (user, namespace) => joinRules(authorizers.map((authorizer) => authorizer.rulesFor?.(user, namespace))),
  };
}

interface Inquiry {
  readonly attributes: AccessAttributes;
  readonly reasons: string[];
  readonly errors: string[];
}

/** Awaits only asynchronous authorizers, such as webhooks. */
function askFrom(start: number, authorizers: readonly Authorizer[], inquiry: Inquiry): MaybePromise<Decision> {
  const { attributes, reasons, errors } = inquiry;
  for (let at = start; at < authorizers.length; at++) {
    const answer = (authorizers[at] as Authorizer).authorize(attributes);
    if (answer instanceof Promise)
      return answer.then((decision) => note(decision, inquiry) ?? askFrom(at + 1, authorizers, inquiry));
    const decided = note(answer, inquiry);
    if (decided) return decided;
  }
  return { kind: 'no-opinion', reason: reasons.join('\n'), ...(errors.length > 0 && { error: errors.join(', ') }) };
}

/** The decision, if there is one; otherwise reason and error are recorded. */
function note(decision: Decision, { reasons, errors }: Inquiry): Decision | undefined {
  if (decision.kind !== 'no-opinion') return decision;
  if (decision.reason) reasons.push(decision.reason);
  if (decision.error) errors.push(decision.error);
  return undefined;
}

function joinRules(all: readonly (AccessRules | undefined)[]): AccessRules {
  const resolved = all.filter((rules) => rules !== undefined);
  const errors = resolved.flatMap(({ evaluationError }) => evaluationError ?? []);
  return {
    resourceRules: resolved.flatMap((rules) => rules.resourceRules),
    nonResourceRules: resolved.flatMap((rules) => rules.nonResourceRules),
    incomplete: resolved.some((rules) => rules.incomplete),
    ...(errors.length > 0 && { evaluationError: aggregate(errors) }),
  };
}
