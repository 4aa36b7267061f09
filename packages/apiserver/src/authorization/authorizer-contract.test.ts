import { describeAuthorizer } from '@coracle/testing';
import type { ObjectReader } from '../object-reader.js';
import { authorizerByMode, union } from './authorizers.js';

/** A cluster in which nothing has been written. */
const empty: ObjectReader = {
  get: () => undefined,
  list: () => [],
  getFresh: async () => undefined,
  generation: () => 0,
};

const policies =
  '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"user":"alice","namespace":"*","resource":"*","apiGroup":"*"}}';

for (const [mode, make] of Object.entries(authorizerByMode))
  describeAuthorizer(mode, () => make(empty, { policies }), mode === 'AlwaysAllow' ? 'allow' : 'refuse');

describeAuthorizer(
  'a union',
  () => union(['Node', 'RBAC'].flatMap((mode) => authorizerByMode[mode]?.(empty) ?? [])),
  'refuse',
);
