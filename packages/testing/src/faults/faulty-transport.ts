import {
  type ApiRequest,
  type ApiResponse,
  initialEventsEnd,
  type ValueSink,
  type WatchEvent,
} from '@coracle/apimachinery';
import type { Transport } from '@coracle/client';
import type { Faults } from './faults.js';

/**
 * A transport that is slow, refuses connections, loses responses, and whose watches end early and repeat some events. A
 * watch never ends before it has delivered an event, or before the end of its initial events.
 */
export function faultyTransport(transport: Transport, faults: Faults): Transport {
  return {
    ...transport,
    exchange: async (request) => {
      const response = await faults.call(() => transport.exchange(request), connectionLost);
      return response.body.kind === 'values' ? withFaultyWatch(request, response, faults) : response;
    },
  };
}

function connectionLost(): Error {
  return new Error('injected fault: the connection was lost');
}

function withFaultyWatch({ query }: ApiRequest, response: ApiResponse, faults: Faults): ApiResponse {
  if (response.body.kind !== 'values') return response;
  const { values } = response.body;
  const hasInitial = query.includes('sendInitialEvents=true');
  return {
    ...response,
    body: { kind: 'values', values: { open: (sink) => values.open(faultySink(sink, faults, hasInitial)) } },
  };
}

function faultySink(sink: ValueSink, faults: Faults, hasInitial: boolean): ValueSink {
  const closing: (() => void)[] = [];
  let isInitial = hasInitial;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    sink.end();
  };
  return {
    write: (value) => {
      if (isOver) return;
      const event = value as WatchEvent<{ metadata?: { annotations?: Record<string, string> } }>;
      sink.write(value);
      if (event.type === 'BOOKMARK' && event.object.metadata?.annotations?.[initialEventsEnd]) isInitial = false;
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED') return;
      if (faults.happens('duplicate')) sink.write(value);
      if (isInitial || !faults.happens('cut')) return;
      end();
      for (const close of closing.splice(0)) close();
    },
    end,
    onClose: (listener) => {
      closing.push(listener);
      sink.onClose(listener);
    },
  };
}
