import type { Secret, ServiceAccount } from '@coracle/api';
import { formatTime, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

const tokenType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';
/** Set by the API server on the first use on a day. */
const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';
/** The API server rejects tokens with this label; removing the label makes the token valid again. */
export const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since';

const dayMs: Millis = 24 * 60 * 60_000;

export interface Cleaning {
  readonly now: Millis;
  /** Time for which a token must be unused before it is disabled, and disabled before it is deleted. */
  readonly periodMs: Millis;
  accountOf(namespace: string, name: string): ServiceAccount | undefined;
  isUsedByPods(secret: Secret): boolean;
}

export type Step = 'keep' | 'disable' | 'remove';

/** The action on a secret: only tokens that their account lists, as controllers once created them, are affected. */
export function stepFor(secret: Secret, cleaning: Cleaning): Step {
  const { now, periodMs } = cleaning;
  const { metadata, type } = secret;
  const oldestKept = now - periodMs;
  if (type !== tokenType || metadata.deletionTimestamp !== undefined) return 'keep';
  if ((parseTime(metadata.creationTimestamp ?? '') ?? now) >= oldestKept) return 'keep';
  const lastUsed = metadata.labels?.[lastUsedLabel];
  if (lastUsed !== undefined && (!isDay(lastUsed) || lastUsed >= dayOf(oldestKept))) return 'keep';
  if (!isListed(secret, cleaning) || cleaning.isUsedByPods(secret)) return 'keep';
  const invalidSince = metadata.labels?.[invalidSinceLabel] ?? '';
  if (!isDay(invalidSince)) return 'disable';
  return invalidSince >= dayOf(oldestKept) ? 'keep' : 'remove';
}

function isListed({ metadata }: Secret, { accountOf }: Cleaning): boolean {
  const { [nameAnnotation]: name = '', [uidAnnotation]: uid = '' } = metadata.annotations ?? {};
  const account = name === '' ? undefined : accountOf(metadata.namespace ?? '', name);
  if (!account || (uid !== '' && uid !== account.metadata.uid)) return false;
  return account.secrets?.some((reference) => reference.name === metadata.name) ?? false;
}

/** Whether the use of tokens has been recorded for so long that a token without a record is unused. */
export function hasBeenTracked(
  since: string | undefined,
  { now, periodMs }: Pick<Cleaning, 'now' | 'periodMs'>,
): boolean {
  const start = since === undefined ? undefined : parseDay(since);
  // The first day may be incomplete.
  return start !== undefined && now >= start + dayMs + periodMs;
}

/** `2026-11-15` */
export function dayOf(time: Millis): string {
  return formatTime(time).slice(0, 10);
}

function isDay(text: string): boolean {
  return parseDay(text) !== undefined;
}

function parseDay(text: string): Millis | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseTime(`${text}T00:00:00Z`) : undefined;
}
