import type { Container, PodSpec } from '@coracle/api';
import type { ObjectMeta } from '@coracle/apimachinery';

export type Level = 'privileged' | 'baseline' | 'restricted';

/** A violation of a check: a short reason, then the details. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** One rule of the Pod Security Standards. `restricted` includes everything that `baseline` requires. */
export interface Check {
  readonly id: string;
  readonly level: 'baseline' | 'restricted';
  /** The first minor version with this check; v1.0 unless stated. */
  readonly since?: number;
  check(metadata: ObjectMeta, spec: PodSpec): Violation | undefined;
}

/** Every container of a pod, in the order in which messages name them. */
export function containersOf(spec: PodSpec): Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers, ...((spec.ephemeralContainers ?? []) as Container[])];
}

/** `container "a"`, `containers "a", "b"`. */
export function namesOf(containers: readonly { readonly name: string }[]): string {
  return `${plural('container', containers.length)} ${quotedList(containers.map(({ name }) => name))}`;
}

/** `pod`, `container "a"`, `pod and containers "a", "b"`: what violates the check. */
export function settersOf(isPod: boolean, containers: readonly { readonly name: string }[]): string {
  return [...(isPod ? ['pod'] : []), ...(containers.length > 0 ? [namesOf(containers)] : [])].join(' and ');
}

/** Each value once, in order. */
export function sortedSet(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

export function quotedList(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

export function isWindows(spec: PodSpec): boolean {
  return spec.os?.name === 'windows';
}
