import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openResources } from './end-by-itself.js';

test('open resources of a process are named without its own output', () => {
  const pipe = Object.assign(new Socket(), { isTTY: false });
  const terminal = Object.assign(new Socket(), { isTTY: true });
  expect(openResources(['PipeWrap', 'TTYWrap', 'Timeout', 'PipeWrap'], [pipe, terminal])).toEqual([
    'Timeout',
    'PipeWrap',
  ]);
  // Output to a file is no socket.
  expect(openResources(['PipeWrap', 'Timeout'], [{}, {}])).toEqual(['PipeWrap', 'Timeout']);
});
