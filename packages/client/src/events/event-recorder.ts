import type { corev1 } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';

/** `Normal` for expected events, `Warning` for those that need attention. */
export type EventType = 'Normal' | 'Warning';

/** The object of an event, which must have a kind, or a reference to one, which may have a field path. */
export type EventSubject = KubeObject | (corev1.ObjectReference & { readonly metadata?: never });

/** Writes events about objects. Never throws and never waits: an event that cannot be written is dropped. */
export interface EventRecorder {
  event(
    about: EventSubject,
    type: EventType,
    reason: string,
    message: string,
    action?: string,
    /** Annotations of the event, for programs. */
    annotations?: Readonly<Record<string, string>>,
  ): void;
}
