import { validatePathSegmentName } from '@coracle/apimachinery';
import type { KindRules } from '../../kind-rules.js';
import {
  validateCertificateSigningRequest,
  validateCertificateSigningRequestUpdate,
} from './certificate-signing-request.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  CertificateSigningRequest: {
    validateName: validatePathSegmentName,
    validate: validateCertificateSigningRequest,
    validateUpdate: validateCertificateSigningRequestUpdate,
    validateStatusUpdate: validateCertificateSigningRequestUpdate,
  },
};
