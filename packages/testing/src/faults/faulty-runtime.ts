import { CriError, type RuntimeService } from '@coracle/cri';
import type { Faults } from './faults.js';

/** A container runtime whose calls are slow, fail, or are carried out without an answer. Its streams have no faults. */
export function faultyRuntime<T extends RuntimeService>(runtime: T, faults: Faults): T {
  return new Proxy(runtime, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const answer = (): unknown => Reflect.apply(member, target, args);
        return isStream(name) ? answer() : faults.call(async () => await answer(), lost);
      };
    },
  });
}

/** What does not answer with one message. */
function isStream(name: string | symbol): boolean {
  return name === 'getContainerEvents' || String(name).startsWith('stream');
}

function lost(): CriError {
  return new CriError('DeadlineExceeded', 'injected fault: context deadline exceeded');
}
