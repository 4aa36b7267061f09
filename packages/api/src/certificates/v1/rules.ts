import { validatePathSegmentName } from '@coracle/apimachinery';
import type { KindRulesTable } from '../../kind-rules.js';
import {
  validateCertificateSigningRequest,
  validateCertificateSigningRequestUpdate,
} from './certificate-signing-request.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  CertificateSigningRequest: {
    validateName: validatePathSegmentName,
    validate: validateCertificateSigningRequest,
    validateUpdate: validateCertificateSigningRequestUpdate,
    validateStatusUpdate: validateCertificateSigningRequestUpdate,
  },
};
