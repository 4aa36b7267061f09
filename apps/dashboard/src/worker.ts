// The worker beside the page: follows resources and keeps their rows sorted, so that the page only draws.

import type { Transport } from '@coracle/client';
import { createWebRandom, webClock } from '@coracle/platform-web';
import type { FromWorker, TableSpec, ToWorker, Window } from './data/messages.js';
import { pageTransport } from './data/page-transport.js';
import { TableEngine } from './data/table-engine.js';
import { summarisePods } from './model/pod-map.js';

/** Maximum update rate: people do not read faster. */
const shortestPauseMs = 100;

const random = createWebRandom();
const open = new Map<number, { look(window: Window): void; close(): void }>();
let transport: Transport | undefined;

const send = (message: FromWorker) => (self as { postMessage(message: unknown): void }).postMessage(message);

self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  switch (data.type) {
    case 'start':
      transport = pageTransport(data.identity);
      return;
    case 'open':
      openTable(data.id, data.spec, data.window);
      return;
    case 'summarise':
      openSummary(data.id, data.spec);
      return;
    case 'look':
      open.get(data.id)?.look(data.window);
      return;
    case 'close':
      open.get(data.id)?.close();
      open.delete(data.id);
      return;
  }
});

/** Calls `task` at once when it was idle, and else when the pause is over. */
function paced(task: () => void): { now(): void; soon(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const now = () => {
    clearTimeout(timer);
    timer = undefined;
    last = performance.now();
    task();
  };
  return {
    now,
    soon: () => {
      timer ??= setTimeout(now, Math.max(0, last + shortestPauseMs - performance.now()));
    },
    stop: () => clearTimeout(timer),
  };
}

function engineFor(spec: TableSpec, onChange: () => void): TableEngine {
  if (!transport) throw new Error('the worker has not been started');
  return new TableEngine({ transport, clock: webClock, random, spec, onChange });
}

function openTable(id: number, spec: TableSpec, first: Window): void {
  let window = first;
  const pace = paced(() => send({ type: 'table', id, update: engine.update(window) }));
  const engine = engineFor(spec, () => pace.soon());
  engine.rows.setView(window);
  open.set(id, {
    look: (next) => {
      const { search, sort } = window;
      window = next;
      if (next.search !== search || JSON.stringify(next.sort) !== JSON.stringify(sort)) engine.rows.setView(next);
      pace.now();
    },
    close: () => {
      pace.stop();
      engine[Symbol.dispose]();
    },
  });
}

function openSummary(id: number, spec: TableSpec): void {
  const pace = paced(() =>
    send({ type: 'summary', id, summary: summarisePods(engine.rows.all(), engine.columns), state: engine.state }),
  );
  const engine = engineFor(spec, () => pace.soon());
  open.set(id, {
    look: () => pace.now(),
    close: () => {
      pace.stop();
      engine[Symbol.dispose]();
    },
  });
}
