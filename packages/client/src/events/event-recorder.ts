import type { KubeObject } from '@coracle/apimachinery';

export type EventType = 'Normal' | 'Warning';

/** Writes events about objects. Never throws and never waits: an event that cannot be written is dropped. */
export interface EventRecorder {
  event(about: KubeObject, type: EventType, reason: string, message: string, action?: string): void;
}
