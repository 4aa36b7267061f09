import { failure, forbidden, StatusError, type StatusReason } from '@coracle/apimachinery';
import type { AdmissionAttributes } from '../admission.js';
import type { Binding } from './policy.js';

/** A failed validation of a policy: the validation of this index is false, or its evaluation failed. */
export type Verdict =
  | { readonly kind: 'refused'; readonly message: string; readonly reason?: string | undefined; readonly index: number }
  | { readonly kind: 'error'; readonly message: string; readonly index: number };

export interface Denial {
  readonly policy: string;
  /** Absent if the policy itself is invalid. */
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

/** The same for mutating policies: the first failure gives the reason, and the code is always 403. */
export function mutationDenied({ resource, name }: AdmissionAttributes, denials: readonly Denial[]): StatusError {
  const causes = denials.map(({ policy, binding, message }) => {
    const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
    return { message: `policy ${by} denied request: ${message}` };
  });
  const { status } = failure((denials[0]?.reason ?? 'Forbidden') as StatusReason, causes[0]?.message ?? '', {
    ...(name && { name }),
    ...(resource.group && { group: resource.group }),
    kind: resource.resource,
    causes,
  });
  return new StatusError({ ...status, code: 403 });
}

const auditKey = 'validation.policy.admission.k8s.io/validation_failure';

interface AuditReport {
  readonly policy: string;
  readonly binding: Binding;
  readonly verdict: Verdict;
}

/** Only the first failure of a request is recorded: annotations are never overwritten. */
export function reportAudit({ annotate }: AdmissionAttributes, { policy, binding, verdict }: AuditReport): void {
  const { message, index } = verdict;
  const validationActions = [...binding.actions];
  const failure = { message, policy, binding: binding.name, expressionIndex: index, validationActions };
  annotate?.(auditKey, JSON.stringify([failure]));
}
