import type { corev1 } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';

/** `Normal` for expected events, `Warning` for those that need attention. */
export type EventType = 'Normal' | 'Warning';

/** What an event is about: an object that says its kind, or a reference to one, which may point to a part of it. */
export type EventSubject = KubeObject | (corev1.ObjectReference & { readonly metadata?: never });

/** Writes events about objects. Never throws and never waits: an event that cannot be written is dropped. */
export interface EventRecorder {
  event(
    about: EventSubject,
    type: EventType,
    reason: string,
    message: string,
    action?: string,
    /** For programs that read the event. */
    annotations?: Readonly<Record<string, string>>,
  ): void;
}
