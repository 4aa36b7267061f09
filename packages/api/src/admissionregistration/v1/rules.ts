import type { KindRulesTable } from '../../kind-rules.js';
import {
  setMutatingAdmissionPolicyDefaults,
  setPolicyBindingDefaults,
  setValidatingAdmissionPolicyDefaults,
} from './admission-policy.defaults.js';
import {
  validateMutatingAdmissionPolicy,
  validateMutatingAdmissionPolicyBinding,
} from './mutating-admission-policy.validation.js';
import {
  validateValidatingAdmissionPolicy,
  validateValidatingAdmissionPolicyBinding,
  validateValidatingAdmissionPolicyStatusUpdate,
} from './validating-admission-policy.validation.js';
import { setMutatingWebhookDefaults, setValidatingWebhookDefaults } from './webhook-configuration.defaults.js';
import { validateWebhookConfiguration } from './webhook-configuration.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  MutatingAdmissionPolicy: {
    anyFinalizer: true,
    setDefaults: setMutatingAdmissionPolicyDefaults,
    validate: validateMutatingAdmissionPolicy,
  },
  MutatingAdmissionPolicyBinding: {
    anyFinalizer: true,
    setDefaults: setPolicyBindingDefaults,
    validate: validateMutatingAdmissionPolicyBinding,
  },
  MutatingWebhookConfiguration: {
    anyFinalizer: true,
    setDefaults: setMutatingWebhookDefaults,
    validate: validateWebhookConfiguration,
  },
  ValidatingAdmissionPolicy: {
    anyFinalizer: true,
    setDefaults: setValidatingAdmissionPolicyDefaults,
    validate: validateValidatingAdmissionPolicy,
    validateStatusUpdate: validateValidatingAdmissionPolicyStatusUpdate,
  },
  ValidatingAdmissionPolicyBinding: {
    anyFinalizer: true,
    setDefaults: setPolicyBindingDefaults,
    validate: validateValidatingAdmissionPolicyBinding,
  },
  ValidatingWebhookConfiguration: {
    anyFinalizer: true,
    setDefaults: setValidatingWebhookDefaults,
    validate: validateWebhookConfiguration,
  },
};
