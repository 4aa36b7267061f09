import type { MaybePromise } from '@coracle/base';
import type { UserInfo } from '../user-info.js';

/** The request to authorize: user, verb and resource. */
export interface AccessAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** As requested, where the request reads several objects. */
  readonly fieldSelector?: string;
  /** For what is no resource. */
  readonly path: string;
}

export type Decision =
  | { readonly kind: 'allow'; readonly reason: string }
  /** Ends the evaluation: no further authorizer is called. */
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'no-opinion'; readonly reason: string; readonly error?: string };

/**
 * Authorizers are called in order until one allows or denies; if none does, the request is denied. Those that can answer at
 * once do: they are called on every request.
 */
export interface Authorizer {
  readonly name: string;
  authorize(attributes: AccessAttributes): MaybePromise<Decision>;
  /** What a user may do in a namespace, for SelfSubjectRulesReview. */
  rulesFor?(user: UserInfo, namespace: string): AccessRules;
}

/** One that always answers at once. */
export interface LocalAuthorizer extends Authorizer {
  authorize(attributes: AccessAttributes): Decision;
}

export interface AccessRules {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[];
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly nonResourceRules: readonly {
    readonly verbs: readonly string[];
    readonly nonResourceURLs: readonly string[];
  }[];
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}
