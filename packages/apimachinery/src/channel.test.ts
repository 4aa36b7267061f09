import { expect, test } from 'vitest';
import { channelPair } from './channel.js';

test('what one end sends the other receives, also what was sent before it listened', () => {
  const [left, right] = channelPair('p');
  const events: number[] = [];
  left.send(Uint8Array.of(1));
  right.onMessage(([byte = 0]) => events.push(byte));
  left.send(Uint8Array.of(2));
  expect([left.protocol, right.protocol, events]).toEqual(['p', 'p', [1, 2]]);
});

test('both ends are notified once that it has closed, and receive what was sent before', () => {
  const [left, right] = channelPair('');
  const output: string[] = [];
  left.onClose((code, reason) => output.push(`left ${code} ${reason}`));
  left.send(Uint8Array.of(7));
  left.close(1001, 'away');
  left.close(1000, 'again');
  left.send(Uint8Array.of(8));
  right.onMessage(([byte]) => output.push(`heard ${byte}`));
  right.onClose((code, reason) => output.push(`right ${code} ${reason}`));
  expect(output).toEqual(['left 1001 away', 'heard 7', 'right 1001 away']);
});

test('an end that asks for a pause holds the other one back until it goes on', () => {
  const [left, right] = channelPair('');
  const paces: boolean[] = [];
  left.onPace((keepsUp) => paces.push(keepsUp));
  right.pause?.();
  right.pause?.();
  expect([left.keepsUp, right.keepsUp]).toEqual([false, true]);
  right.resume?.();
  expect([left.keepsUp, paces]).toEqual([true, [false, true]]);
});
