import { failure, forbidden, StatusError, type StatusReason } from '@coracle/apimachinery';
import type { AdmissionAttributes } from '../admission.js';
import type { Binding } from './policy.js';

/** Why a policy rejects a request: it does not allow it, or its evaluation failed. */
export type Verdict =
  | { readonly kind: 'refused'; readonly message: string; readonly reason?: string | undefined }
  | { readonly kind: 'error'; readonly message: string };

export interface Denial {
  readonly policy: string;
  /** Absent if the policy itself is at fault. */
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason?: string | undefined;
}

export const maxMessageLength = 5 * 1024;

/** The reasons that a policy may set, with their status codes. */
const codes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

export function denied(attributes: AdmissionAttributes, { policy, binding, message, reason }: Denial): StatusError {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const words = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const { status } = forbidden(attributes.resource, attributes.name || 'Unknown', words);
  const reasonText = reason || 'Invalid';
  return new StatusError({
    ...status,
    reason: reasonText,
    code: codes[reasonText] ?? 422,
    details: { ...status.details, causes: [{ message: words }] },
  });
}

/** The same of a mutating policy, whose code is always that of a refusal. */
export function mutationDenied(
  { resource, name }: AdmissionAttributes,
  { policy, binding, message, reason = 'Invalid' }: Denial,
): StatusError {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const words = `policy ${by} denied request: ${message}`;
  const { status } = failure(reason as StatusReason, words, {
    ...(name && { name }),
    ...(resource.group && { group: resource.group }),
    kind: resource.resource,
    causes: [{ message: words }],
  });
  return new StatusError({ ...status, code: 403 });
}

const auditKey = 'validation.policy.admission.k8s.io/validation_failure';

interface AuditReport {
  readonly policy: string;
  readonly binding: Binding;
  readonly verdicts: readonly Verdict[];
}

export function reportAudits({ annotate }: AdmissionAttributes, { policy, binding, verdicts }: AuditReport): void {
  if (!annotate || verdicts.length === 0) return;
  const failures = verdicts.map(({ message }, expressionIndex) => ({
    message,
    policy,
    binding: binding.name,
    expressionIndex,
    validationActions: [...binding.actions],
  }));
  annotate(auditKey, JSON.stringify(failures));
}
