import type { BackendWrite } from '../backend.js';
import type { KeyValue, Operation, StoreEvent } from '../store.js';
import { encodeLiveKey, encodePosition, type LiveKey, logKey, type Position, textKey } from './layout.js';
import { deletedKeyValue, encodeRecord } from './log-record.js';
import type { Entry, PendingState } from './pending-state.js';

/** The result of operations: bytes to write, and events to send. */
export interface Changes {
  readonly writes: BackendWrite[];
  readonly events: StoreEvent[];
}

/** Executes operations on the pending state, under `revision`. Deleting a key that does not exist changes nothing. */
export function applyOperations(pending: PendingState, operations: readonly Operation[], revision: number): Changes {
  const changes: Changes = { writes: [], events: [] };
  for (const operation of operations) {
    const before = pending.get(operation.key);
    const position = { revision, index: changes.events.length };
    if (operation.kind === 'put') applyPut({ pending, before, position, changes }, operation);
    else if (before?.live) applyDelete({ pending, before, position, changes }, operation.key);
  }
  return changes;
}

interface Step {
  readonly pending: PendingState;
  readonly before: Entry | undefined;
  readonly position: Position;
  readonly changes: Changes;
}

function applyPut({ pending, before, position, changes }: Step, operation: Operation & { kind: 'put' }): void {
  const { key, value, lease = 0, decoded } = operation;
  const previous = before?.live;
  const live: LiveKey = {
    position,
    createRevision: previous?.createRevision ?? position.revision,
    version: (previous?.version ?? 0) + 1,
    lease,
  };
  const { createRevision, version } = live;
  const keyValue: KeyValue = { key, value, createRevision, modRevision: position.revision, version, lease, decoded };
  const { writes, events } = changes;
  writes.push(
    { key: logKey(position), value: encodeRecord({ key, put: keyValue, previous: before?.position }) },
    { key: textKey('k', key), value: encodeLiveKey(live) },
  );
  if (before && !previous) writes.push({ key: textKey('d', key) });
  events.push({ type: 'put', keyValue });
  pending.set(key, { position, live, keyValue });
}

function applyDelete({ pending, before, position, changes }: Step, key: string): void {
  const { writes, events } = changes;
  writes.push(
    { key: logKey(position), value: encodeRecord({ key, previous: before?.position }) },
    { key: textKey('k', key) },
    { key: textKey('d', key), value: encodePosition(position) },
  );
  events.push({ type: 'delete', keyValue: deletedKeyValue(key, position.revision) });
  pending.set(key, { position, live: undefined });
}
