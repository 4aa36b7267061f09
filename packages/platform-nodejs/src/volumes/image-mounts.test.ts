import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCodec, type ImageService } from '@coracle/cri';
import { expect, onTestFinished, test } from 'vitest';
import { serveGrpc } from '../cri/grpc-server.js';
import { createImageMounts, mountsImages } from './image-mounts.js';

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

/** The part of containerd's snapshot service that is used; removing a view fails with a code of gRPC. */
async function serveViews(code: number) {
  const folder = mkdtempSync(join(tmpdir(), 'coracle-views-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const codec = createCodec({
    messages: {
      View: { key: [2, 'string'], parent: [3, 'string'] },
      Mounts: {},
      Remove: { key: [2, 'string'] },
      Empty: {},
    },
    enums: {},
  });
  const viewed: unknown[] = [];
  const server = await serveGrpc(join(folder, 'containerd.sock'), codec, {
    'containerd.services.snapshots.v1.Snapshots': {
      View: { request: 'View', response: 'Mounts', answer: ({ parent }) => ({ viewed: viewed.push(parent) }) },
      Remove: {
        request: 'Remove',
        response: 'Empty',
        answer: () => Promise.reject(Object.assign(new Error('snapshot of the test'), { code })),
      },
    },
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const images: Pick<ImageService, 'imageStatus' | 'imageFsInfo'> = {
    imageStatus: () => Promise.resolve({ info: { info: JSON.stringify({ chainID: 'sha256:layers' }) } }),
    imageFsInfo: () => Promise.resolve({}),
  };
  const mountImage = createImageMounts({ endpoint: `unix://${folder}/containerd.sock`, images });
  onTestFinished(() => mountImage[Symbol.dispose]());
  return { mountImage: () => mountImage('image', join(folder, 'volume')), viewed };
}

test('a view that containerd has collected meanwhile needs no removal', async () => {
  const { mountImage, viewed } = await serveViews(5);
  await mountImage();
  expect(viewed).toEqual(['sha256:layers']);
});

test('a view that cannot be removed is a failure', async () => {
  const { mountImage } = await serveViews(9);
  await expect(mountImage()).rejects.toThrow('snapshot of the test');
});
