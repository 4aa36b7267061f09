import type { KindRulesTable } from '../../kind-rules.js';
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from './access-review.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  LocalSubjectAccessReview: { validate: validateLocalSubjectAccessReview },
  SelfSubjectAccessReview: { validate: validateSelfSubjectAccessReview },
  SubjectAccessReview: { validate: validateSubjectAccessReview },
};
