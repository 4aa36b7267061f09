import { parseDuration, parseTime, writeJson } from '@coracle/apimachinery';
import type { Millis, Random } from '@coracle/base';
import type { Stage, StageRequirement, StageSpan } from './stage.js';

/** The input of stages: an object as JSON. */
export interface StagedObject {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** The stages that an object may go to next. */
export function matchingStages(stages: readonly Stage[], object: StagedObject): Stage[] {
  return stages.filter(({ selector }) => {
    if (!selector) return false;
    const { labels = {}, annotations = {} } = object.metadata;
    return (
      hasAll(labels, selector.matchLabels) &&
      hasAll(annotations, selector.matchAnnotations) &&
      selector.requirements.every((requirement) => isMet(requirement, object))
    );
  });
}

function hasAll(own: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([key, value]) => own[key] === value);
}

function isMet({ query, operator, values }: StageRequirement, object: StagedObject): boolean {
  const found = query(object)
    .filter((one) => one !== null && one !== undefined)
    .map((one) => (typeof one === 'string' ? one : writeJson(one)));
  switch (operator) {
    case 'In':
      return found.some((one) => values.includes(one));
    case 'NotIn':
      return !found.some((one) => values.includes(one));
    case 'Exists':
      return found.length > 0;
    case 'DoesNotExist':
      return found.length === 0;
    default:
      return operator satisfies never;
  }
}

/** Selects one of several: by their weights, or at random if none has any. */
export function chooseStage(stages: readonly Stage[], object: StagedObject, random: Random): Stage | undefined {
  if (stages.length < 2) return stages[0];
  const weights = stages.map((stage) => Math.max(0, weightOf(stage, object)));
  const total = weights.reduce((sum, one) => sum + one, 0);
  if (total === 0) return stages[Math.floor(random.next() * stages.length)];
  let left = random.next() * total;
  return stages.find((_, i) => (left -= weights[i] ?? 0) < 0) ?? stages.at(-1);
}

function weightOf({ weight, weightFrom }: Stage, object: StagedObject): number {
  const value = weightFrom?.(object)[0];
  const own = value === null || value === undefined || value === '' ? Number.NaN : Number(value);
  return Number.isNaN(own) ? weight : own;
}

/** The delay of a stage for an object. */
export function delayOf(
  { delay, jitter }: Stage,
  object: StagedObject,
  { now, random }: { readonly now: Millis; readonly random: Random },
): Millis {
  if (!delay) return 0;
  const least = spanOf(delay, object, now) ?? 0;
  const most = jitter && spanOf(jitter, object, now);
  if (most === undefined) return Math.max(0, least);
  return Math.max(0, most <= least ? most : least + Math.floor(random.next() * (most - least)));
}

/** A time is waited for; a duration is one. */
function spanOf({ milliseconds, from }: StageSpan, object: StagedObject, now: Millis): Millis | undefined {
  const value = from?.(object)[0];
  if (typeof value !== 'string' || value === '') return milliseconds;
  const time = parseTime(value);
  return time === undefined ? (parseDuration(value) ?? milliseconds) : time - now;
}
