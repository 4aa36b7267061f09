import { validatePathSegmentName } from '@coracle/apimachinery';
import type { KindRulesTable } from '../../kind-rules.js';
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
export const rules: KindRulesTable = {
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
