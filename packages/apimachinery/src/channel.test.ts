import { expect, test } from 'vitest';
import { channelPair } from './channel.js';

test('what one end sends the other hears, also what was sent before it listened', () => {
  const [left, right] = channelPair('p');
  const heard: number[] = [];
  left.send(Uint8Array.of(1));
  right.onMessage(([byte = 0]) => heard.push(byte));
  left.send(Uint8Array.of(2));
  expect([left.protocol, right.protocol, heard]).toEqual(['p', 'p', [1, 2]]);
});

test('both ends hear once that it has closed, and what was sent before', () => {
  const [left, right] = channelPair('');
  const said: string[] = [];
  left.onClose((code, reason) => said.push(`left ${code} ${reason}`));
  left.send(Uint8Array.of(7));
  left.close(1001, 'away');
  left.close(1000, 'again');
  left.send(Uint8Array.of(8));
  right.onMessage(([byte]) => said.push(`heard ${byte}`));
  right.onClose((code, reason) => said.push(`right ${code} ${reason}`));
  expect(said).toEqual(['left 1001 away', 'heard 7', 'right 1001 away']);
});
