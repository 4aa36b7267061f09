import { expect, test } from 'vitest';
import { messageOf } from './message-of.js';

test.each([
  { name: 'an error has its message', thrown: new TypeError('no'), message: 'no' },
  { name: 'a text is its own message', thrown: 'no', message: 'no' },
  { name: 'nothing has a message too', thrown: undefined, message: 'undefined' },
])('$name', ({ thrown, message }) => {
  expect(messageOf(thrown)).toBe(message);
});
