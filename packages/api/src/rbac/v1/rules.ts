import { validatePathSegmentName } from '@coracle/apimachinery';
import type { KindRules } from '../../kind-rules.js';
import { setBindingDefaults } from './rbac.defaults.js';
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateClusterRoleBindingUpdate,
  validateRole,
  validateRoleBinding,
  validateRoleBindingUpdate,
} from './rbac.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  ClusterRole: { validateName: validatePathSegmentName, validate: validateClusterRole },
  ClusterRoleBinding: {
    setDefaults: setBindingDefaults,
    validateName: validatePathSegmentName,
    validate: validateClusterRoleBinding,
    validateUpdate: validateClusterRoleBindingUpdate,
  },
  Role: { validateName: validatePathSegmentName, validate: validateRole },
  RoleBinding: {
    setDefaults: setBindingDefaults,
    validateName: validatePathSegmentName,
    validate: validateRoleBinding,
    validateUpdate: validateRoleBindingUpdate,
  },
};
