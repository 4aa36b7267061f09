import { type ContainerEventResponse, CriError, type RuntimeService } from '@coracle/cri';
import type { Faults } from './faults.js';

/**
 * A container runtime whose calls are slow, fail, or are executed without a response, and whose events are delayed,
 * repeated, or end. Its other streams have no faults.
 */
export function faultyRuntime<T extends RuntimeService>(runtime: T, faults: Faults): T {
  return new Proxy(runtime, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const answer = (): unknown => Reflect.apply(member, target, args);
        if (name === 'getContainerEvents') return faultyEvents(answer() as ContainerEvents, faults);
        return isStream(name) ? answer() : faults.call(async () => await answer(), lost);
      };
    },
  });
}

type ContainerEvents = AsyncIterable<ContainerEventResponse>;

async function* faultyEvents(events: ContainerEvents, faults: Faults): ContainerEvents {
  for await (const event of events) {
    await faults.pause();
    yield event;
    if (faults.happens('duplicate')) yield event;
    // A stream that ends is opened again after a second: that is no mild fault.
    if (faults.rates.fail > 0 && faults.happens('cut')) throw lost();
  }
}

/** What does not answer with one message. */
function isStream(name: string | symbol): boolean {
  return String(name).startsWith('stream');
}

function lost(): CriError {
  return new CriError('DeadlineExceeded', 'injected fault: context deadline exceeded');
}
