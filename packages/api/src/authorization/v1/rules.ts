import type { KindRules } from '../../kind-rules.js';
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from './access-review.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  LocalSubjectAccessReview: { validate: validateLocalSubjectAccessReview },
  SelfSubjectAccessReview: { validate: validateSelfSubjectAccessReview },
  SubjectAccessReview: { validate: validateSubjectAccessReview },
};
