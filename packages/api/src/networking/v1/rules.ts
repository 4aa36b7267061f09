import type { KindRulesTable } from '../../kind-rules.js';
import { canonicalIpProblems } from '../../validation/ip-checks.js';
import {
  ingressWarnings,
  validateIngress,
  validateIngressStatusUpdate,
  validateIngressUpdate,
} from './ingress.validation.js';
import { setIngressClassDefaults } from './ingress-class.defaults.js';
import { validateIngressClass, validateIngressClassUpdate } from './ingress-class.validation.js';
import { validateIpAddress, validateIpAddressUpdate } from './ip-address.validation.js';
import { setNetworkPolicyDefaults } from './network-policy.defaults.js';
import { validateNetworkPolicy } from './network-policy.validation.js';
import { validateServiceCidr, validateServiceCidrUpdate } from './service-cidr.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  Ingress: {
    validate: validateIngress,
    validateUpdate: validateIngressUpdate,
    validateStatusUpdate: validateIngressStatusUpdate,
    warnings: ingressWarnings,
  },
  IngressClass: {
    setDefaults: setIngressClassDefaults,
    validate: validateIngressClass,
    validateUpdate: validateIngressClassUpdate,
  },
  IPAddress: {
    validateName: canonicalIpProblems,
    validate: validateIpAddress,
    validateUpdate: validateIpAddressUpdate,
  },
  NetworkPolicy: { setDefaults: setNetworkPolicyDefaults, validate: validateNetworkPolicy },
  ServiceCIDR: { validate: validateServiceCidr, validateUpdate: validateServiceCidrUpdate },
};
