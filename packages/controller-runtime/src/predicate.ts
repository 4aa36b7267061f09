import { type KubeObject, LabelSelector, type LabelSelectorObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { SourceEvent } from './source-event.js';

/** Whether an event is handled. All predicates of its watch must return true. */
export type Predicate<T extends KubeObject = KubeObject> = (event: SourceEvent<T>) => boolean;

type EventOf<T, Type> = Extract<SourceEvent<T>, { readonly type: Type }>;

/** One function for each type of event; an event without one passes. */
export function predicateBy<T extends KubeObject>(
  functions: {
    readonly [Type in SourceEvent<T>['type']]?: (event: EventOf<T, Type>) => boolean;
  },
): Predicate<T> {
  return (event) => {
    const decide = functions[event.type] as Predicate<T> | undefined;
    return decide?.(event) ?? true;
  };
}

/** By the object alone, whatever happened to it. */
export function objectMatches<T extends KubeObject>(matches: (object: T) => boolean): Predicate<T> {
  return (event) => matches(event.object);
}

/** Events of objects that the label selector matches. */
export function labelsMatch(selector: LabelSelectorObject): Predicate {
  const parsed = LabelSelector.fromObject(selector);
  return (event) => parsed.matches(event.object.metadata.labels);
}

/** Leaves out updates of status and metadata, which do not raise the generation. */
export const generationChanged: Predicate = changed(({ metadata }) => metadata.generation);

/** Drops the events of a resync. */
export const resourceVersionChanged: Predicate = changed(({ metadata }) => metadata.resourceVersion);

/** Updates that changed labels, and everything that is no update. */
export const labelsChanged: Predicate = changed(({ metadata }) => metadata.labels ?? {});

/** Updates that changed annotations, and everything that is no update. */
export const annotationsChanged: Predicate = changed(({ metadata }) => metadata.annotations ?? {});

/** Passes updates between which `part` differs, and everything that is no update. */
export function changed<T extends KubeObject>(part: (object: T) => unknown): Predicate<T> {
  return (event) => event.type !== 'updated' || !deepEqual(part(event.previous), part(event.object));
}

/** Events that all of the predicates accept. */
export function allOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** Events that one of the predicates accepts. */
export function anyOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** Events that the predicate does not accept. */
export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}
