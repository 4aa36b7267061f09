import { expect, test } from 'vitest';
import { channelPair } from './channel.js';

test('each end receives the data of the other, also data that was sent before it listened', () => {
  const [left, right] = channelPair('p');
  const events: number[] = [];
  left.send(Uint8Array.of(1));
  right.onMessage(([byte = 0]) => events.push(byte));
  left.send(Uint8Array.of(2));
  expect([left.protocol, right.protocol, events]).toEqual(['p', 'p', [1, 2]]);
});

test('both ends are notified once of the close, and receive the data before it', () => {
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

test('an end that requests a pause stops the other until it resumes', () => {
  const [left, right] = channelPair('');
  const paces: boolean[] = [];
  left.onPace((keepsUp) => paces.push(keepsUp));
  right.pause?.();
  right.pause?.();
  expect([left.keepsUp, right.keepsUp]).toEqual([false, true]);
  right.resume?.();
  expect([left.keepsUp, paces]).toEqual([true, [false, true]]);
});
