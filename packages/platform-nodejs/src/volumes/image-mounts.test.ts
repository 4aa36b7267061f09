import { expect, test } from 'vitest';
import { mountsImages } from './image-mounts.js';

test.each([
  ['containerd', '1.6.20~ds1', false],
  ['containerd', '1.7.27', false],
  ['containerd', 'v2.0.4', false],
  ['containerd', 'v2.1.0', true],
  ['containerd', '2.2.1', true],
  ['containerd', '3.0.0', true],
  ['cri-o', '1.33.0', true],
])('%s %s mounts images itself: %s', (runtimeName, runtimeVersion, expected) => {
  expect(mountsImages({ runtimeName, runtimeVersion })).toBe(expected);
});
