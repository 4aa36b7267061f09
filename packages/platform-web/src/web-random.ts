import { type Random, randomFrom } from '@coracle/base';

/** Random numbers from the Web Crypto API, good enough for tokens and identifiers. */
export function createWebRandom(): Random {
  return randomFrom((words) => crypto.getRandomValues(words));
}
