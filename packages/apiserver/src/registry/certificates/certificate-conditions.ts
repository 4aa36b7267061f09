import type { certificatesv1 } from '@coracle/api';
import { type FieldError, forbiddenField, formatTime } from '@coracle/apimachinery';
import { type Clock, deepEqual } from '@coracle/base';

type Request = certificatesv1.CertificateSigningRequest;
type Condition = certificatesv1.CertificateSigningRequestCondition;

const settled = ['Approved', 'Denied', 'Failed'] as const;

/** Sets the update and transition times of conditions. */
export function stampConditions(request: Request, previous: Request, clock: Clock): void {
  const before = previous.status?.conditions ?? [];
  const now = formatTime(clock.now());
  for (const condition of request.status?.conditions ?? []) {
    const same = before.find(({ type, status }) => type === condition.type && status === condition.status);
    condition.lastTransitionTime = same?.lastTransitionTime ?? condition.lastTransitionTime ?? now;
    condition.lastUpdateTime ??=
      same && deepEqual({ ...same, ...condition }, same) ? (same.lastUpdateTime ?? now) : now;
  }
}

/** The condition types that an endpoint may set. */
export interface SettlingRights {
  readonly mayDecide: boolean;
  readonly mayIssue: boolean;
}

/** Decisions are final, and an issued certificate is immutable. */
export function checkSettled(request: Request, previous: Request, rights: SettlingRights): FieldError[] {
  const path = 'status.conditions';
  const errors = settled.flatMap((type) => {
    const now = ofType(request, type);
    const before = ofType(previous, type);
    if (now.length < before.length)
      return [forbiddenField(path, `updates may not remove a condition of type ${JSON.stringify(type)}`)];
    // The message of a failure may change later.
    if (rights.mayDecide || type === 'Failed' || deepEqual(now, before)) return [];
    const verb = now.length > before.length ? 'add' : 'modify';
    return [forbiddenField(path, `updates may not ${verb} a condition of type ${JSON.stringify(type)}`)];
  });
  const had = previous.status?.certificate ?? '';
  if ((request.status?.certificate ?? '') === had) return errors;
  if (had !== '')
    errors.push(forbiddenField('status.certificate', 'updates may not modify existing certificate content'));
  else if (!rights.mayIssue)
    errors.push(forbiddenField('status.certificate', 'updates may not set certificate content'));
  return errors;
}

function ofType({ status }: Request, type: string): Condition[] {
  return (status?.conditions ?? []).filter((condition) => condition.type === type);
}

/** Restores conditions of these types, whatever the client sent. */
export function keepDecision(request: Request, previous: Request): void {
  const isDecision = ({ type }: Condition) => type === 'Approved' || type === 'Denied';
  const oldDecisions = (previous.status?.conditions ?? []).filter(isDecision).map((condition) => ({ ...condition }));
  const others = (request.status?.conditions ?? []).filter((condition) => !isDecision(condition));
  if (oldDecisions.length + others.length === 0) return;
  request.status = { ...request.status, conditions: [...oldDecisions, ...others] };
}
