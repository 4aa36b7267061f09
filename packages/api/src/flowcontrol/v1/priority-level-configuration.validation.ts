import { type FieldError, FieldPath, forbiddenField, invalidField, requiredField } from '@coracle/apimachinery';
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from '../../generated/types/flowcontrol-v1.js';
import { checkRequiredSupported } from '../../validation/field-checks.js';

const specPath = FieldPath.of('spec');
const maxQueues = 10_000_000;
const maxEntropyBits = 60;

export function validatePriorityLevelConfiguration({ spec, metadata }: PriorityLevelConfiguration): FieldError[] {
  const { type = '', limited, exempt } = spec ?? {};
  const errors = checkRequiredSupported(specPath.child('type'), type, ['Exempt', 'Limited']);
  if (errors.length > 0) return errors;
  if (type === 'Exempt') {
    if (limited) errors.push(forbiddenField(specPath.child('limited'), 'must be nil if the type is not Limited'));
    if (metadata.name !== 'exempt') errors.push(onlyExempt(type));
    return exempt ? [...errors, ...checkShares(specPath.child('exempt'), exempt)] : errors;
  }
  if (metadata.name === 'exempt') errors.push(onlyExempt(type));
  if (exempt) errors.push(forbiddenField(specPath.child('exempt'), 'must be nil if the type is Limited'));
  if (!limited) {
    return [...errors, requiredField(specPath.child('limited'), 'must not be empty when type is Limited')];
  }
  return [...errors, ...checkLimited(specPath.child('limited'), limited)];
}

function onlyExempt(type: string): FieldError {
  return invalidField(specPath.child('type'), type, "type must be 'Exempt' if and only if name is 'exempt'");
}

interface Shares {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

function checkShares(path: FieldPath, shares: Shares): FieldError[] {
  return [...checkNominal(path, shares), ...checkLendable(path, shares)];
}

function checkNominal(path: FieldPath, { nominalConcurrencyShares: shares = 0 }: Shares): FieldError[] {
  if (shares >= 0) return [];
  return [invalidField(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer')];
}

function checkLendable(path: FieldPath, { lendablePercent: percent = 0 }: Shares): FieldError[] {
  if (percent >= 0 && percent <= 100) return [];
  return [invalidField(path.child('lendablePercent'), percent, 'must be between 0 and 100, inclusive')];
}

function checkLimited(path: FieldPath, limited: LimitedPriorityLevelConfiguration): FieldError[] {
  const borrowing = limited.borrowingLimitPercent ?? 0;
  const detail = 'if specified, must be a non-negative integer';
  return [
    ...checkNominal(path, limited),
    ...checkLimitResponse(path.child('limitResponse'), limited.limitResponse),
    ...checkLendable(path, limited),
    ...(borrowing < 0 ? [invalidField(path.child('borrowingLimitPercent'), borrowing, detail)] : []),
  ];
}

function checkLimitResponse(path: FieldPath, response: LimitResponse | undefined): FieldError[] {
  const { type = '', queuing } = response ?? {};
  const errors = checkRequiredSupported(path.child('type'), type, ['Queue', 'Reject']);
  if (errors.length > 0) return errors;
  const field = path.child('queuing');
  if (type === 'Reject') {
    return queuing ? [forbiddenField(field, 'must be nil if limited.limitResponse.type is not Limited')] : [];
  }
  if (queuing) return checkQueuing(field, queuing);
  return [requiredField(field, 'must not be empty if limited.limitResponse.type is Limited')];
}

function checkQueuing(path: FieldPath, configuration: QueuingConfiguration): FieldError[] {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = configuration;
  const errors: FieldError[] = [];
  const refuse = (field: string, value: number, detail: string) =>
    errors.push(invalidField(path.child(field), value, detail));
  if (queueLengthLimit <= 0) refuse('queueLengthLimit', queueLengthLimit, 'must be positive');
  if (queues <= 0) refuse('queues', queues, 'must be positive');
  else if (queues > maxQueues) refuse('queues', queues, `must not be greater than ${maxQueues}`);
  if (handSize <= 0) refuse('handSize', handSize, 'must be positive');
  else if (handSize > queues) refuse('handSize', handSize, `should not be greater than queues (${queues})`);
  else if (entropyBits(queues, handSize) > maxEntropyBits) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxEntropyBits}`;
    refuse('handSize', handSize, detail);
  }
  return errors;
}

/** The entropy of a hand of queues, in bits. */
function entropyBits(deckSize: number, handSize: number): number {
  return Math.ceil(Math.log2(deckSize) * handSize);
}
