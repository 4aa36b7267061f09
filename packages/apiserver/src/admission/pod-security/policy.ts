import { type FieldError, FieldPath, invalidField } from '@coracle/apimachinery';
import type { Level } from './check.js';

export const labelPrefix = 'pod-security.kubernetes.io/';

const levels: readonly Level[] = ['privileged', 'baseline', 'restricted'];
const modes = ['enforce', 'audit', 'warn'] as const;
export type Mode = (typeof modes)[number];

/** Level and version of one mode of a namespace. */
export interface Policy {
  readonly level: Level;
  /** As it appears in messages: `latest` or `v1.25`. */
  readonly version: string;
  /** The release whose checks count: 25 for v1.25. */
  readonly minor: number;
}

const newest = Number.POSITIVE_INFINITY;

/** An unknown level counts as the strictest for `enforce`, and is ignored for `warn` and `audit`. */
export function policyOf(labels: Readonly<Record<string, string>> = {}, mode: Mode): Policy {
  const stated = labels[`${labelPrefix}${mode}`];
  const unknown = mode === 'enforce' && stated !== undefined ? 'restricted' : 'privileged';
  const level = levels.find((one) => one === stated) ?? unknown;
  const version = labels[`${labelPrefix}${mode}-version`];
  const minor = version === undefined ? newest : (minorOf(version) ?? newest);
  return { level, version: minor === newest ? 'latest' : `v1.${minor}`, minor };
}

/** The errors in Pod Security labels; `pathOf` gives the field path of a label. */
export function checkPolicyLabels(
  labels: Readonly<Record<string, string>> = {},
  pathOf: (label: string) => FieldPath = (label) => FieldPath.of('metadata', 'labels').key(label),
): FieldError[] {
  return modes.flatMap((mode) => {
    const [level, version] = [labels[`${labelPrefix}${mode}`], labels[`${labelPrefix}${mode}-version`]];
    const isKnown = level === undefined || levels.some((one) => one === level);
    const isRead = version === undefined || minorOf(version) !== undefined;
    const must = `must be one of ${levels.join(', ')}`;
    return [
      ...(isKnown ? [] : [invalidField(pathOf(`${labelPrefix}${mode}`), level, must)]),
      ...(isRead ? [] : [invalidField(pathOf(`${labelPrefix}${mode}-version`), version, 'must be "latest" or "v1.x"')]),
    ];
  });
}

/** All levels of a namespace above privileged: `enforce=baseline:latest, warn=restricted:v1.30`. */
export function describePolicies(labels: Readonly<Record<string, string>>): string {
  return modes
    .map((mode) => ({ mode, ...policyOf(labels, mode) }))
    .filter(({ level }) => level !== 'privileged')
    .map(({ mode, level, version }) => `${mode}=${level}:${version}`)
    .join(', ');
}

/** Whether pods that met the old policy may violate the new one. */
export function isTightened(policy: Policy, before: Policy): boolean {
  if (policy.level === 'privileged') return false;
  if (policy.level === before.level && policy.version === before.version) return false;
  return policy.version !== before.version || levels.indexOf(policy.level) > levels.indexOf(before.level);
}

function minorOf(version: string): number | undefined {
  if (version === 'latest') return newest;
  const match = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(version);
  return match ? Number(match[1]) : undefined;
}
