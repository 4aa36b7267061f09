import { type authorizationv1, rulesOf } from '@coracle/api';
import { badRequest, invalid, type KubeObject } from '@coracle/apimachinery';
import type { AccessAttributes, Authorizer, Decision } from '../../authorization/authorizer.js';
import type { UserInfo } from '../../user-info.js';

import type { SubresourceHandler, SubresourceTable } from '../subresource.js';
import { trackReview } from '../track-review.js';

const group = 'authorization.k8s.io';

type Spec = authorizationv1.SubjectAccessReviewSpec;
type Review = authorizationv1.SubjectAccessReview | authorizationv1.SelfSubjectAccessReview;

/** The access reviews: SelfSubjectAccessReview, SubjectAccessReview and LocalSubjectAccessReview. */
export function accessReviews(authorizer: Authorizer): SubresourceTable {
  return {
    [`${group}/subjectaccessreviews`]: reviewing(authorizer, ({ spec }) => userOf(spec as Spec)),
    [`${group}/localsubjectaccessreviews`]: reviewing(authorizer, ({ spec }) => userOf(spec as Spec)),
    [`${group}/selfsubjectaccessreviews`]: reviewing(authorizer, (_review, self) => self),
    [`${group}/selfsubjectrulesreviews`]: rulesReview(authorizer),
  };
}

function reviewing(authorizer: Authorizer, userFor: (review: Review, self: UserInfo) => UserInfo): SubresourceHandler {
  return {
    async create(call, body) {
      const review = body as Review;
      check(review, call.write.namespace);
      const decision = await authorizer.authorize(attributesOf(review.spec, userFor(review, call.write.user)));
      return { object: { ...trackReview(call, review), status: statusOf(decision) } };
    },
  };
}

function check(review: KubeObject, namespace: string): void {
  const kind = review.kind ?? '';
  const errors = rulesOf<KubeObject>({ group, version: 'v1', kind }).validate?.(review) ?? [];
  if (errors.length > 0) throw invalid({ group, kind: '' }, '', errors);
  const stated = (review as Review).spec.resourceAttributes?.namespace;
  if (kind === 'LocalSubjectAccessReview' && stated !== namespace) {
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
  }
}

function userOf({ user = '', uid, groups = [], extra }: Spec): UserInfo {
  return { name: user, ...(uid && { uid }), groups, ...(extra && { extra }) };
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: Review['spec'], user: UserInfo): AccessAttributes {
  const nothing = { user, group: '', version: '', resource: '', subresource: '', namespace: '', name: '', path: '' };
  if (!resourceAttributes) {
    const { verb = '', path = '' } = nonResourceAttributes ?? {};
    return { ...nothing, verb, path, isResourceRequest: false };
  }
  const { fieldSelector: _fields, labelSelector: _labels, verb = '', ...attributes } = resourceAttributes;
  return { ...nothing, ...attributes, verb, isResourceRequest: true };
}

function statusOf(decision: Decision): authorizationv1.SubjectAccessReviewStatus {
  return {
    allowed: decision.kind === 'allow',
    ...(decision.kind === 'deny' && { denied: true }),
    ...(decision.reason && { reason: decision.reason }),
    ...(decision.kind === 'no-opinion' && decision.error && { evaluationError: decision.error }),
  };
}

function rulesReview(authorizer: Authorizer): SubresourceHandler {
  return {
    async create(call, body) {
      const review = body as authorizationv1.SelfSubjectRulesReview;
      const namespace = review.spec?.namespace ?? '';
      if (namespace === '') throw badRequest('no namespace on request');
      const rules = authorizer.rulesFor?.(call.write.user, namespace);
      const status = rules ?? { resourceRules: [], nonResourceRules: [], incomplete: true };
      return { object: { ...trackReview(call, review), status } };
    },
  };
}
