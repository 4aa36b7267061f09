import { type Random, randomFrom } from '@coracle/base';

/** Random numbers from the operating system, good enough for tokens and identifiers. */
export function createSystemRandom(): Random {
  return randomFrom((words) => crypto.getRandomValues(words));
}
