import { VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { fakeReferences, makePod } from '../builders.fixture.js';
import { RestartBackoff } from '../restart-backoff.js';
import { defaultSettings } from '../settings.js';
import type { ImageContext } from './ensure-image.js';
import { PullQueue } from './pull-queue.js';
import { ensureVolumeImages } from './volume-images.js';

const containers = [{ name: 'web', image: 'nginx', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
const volumes = [
  { name: 'data', image: { reference: 'registry/data:1', pullPolicy: 'Always' } },
  { name: 'unused', image: { reference: 'registry/unused:1', pullPolicy: 'Always' } },
];

function subject(pullImage: () => Promise<{ imageRef: string }>) {
  const clock = new VirtualClock();
  const events: string[] = [];
  const pulled: string[] = [];
  const images: ImageContext['images'] = {
    imageStatus: async ({ image }) => ({ image: { id: `id of ${image?.image}` } }),
    pullImage: ({ image }) => {
      pulled.push(image?.image ?? '');
      return pullImage();
    },
  };
  const context = {
    images,
    clock,
    imageBackoff: new RestartBackoff(clock),
    pulls: new PullQueue(clock, defaultSettings),
    references: fakeReferences(),
    recorder: {
      event: (about: { fieldPath?: string }, _type: string, reason: string) =>
        void events.push(`${about.fieldPath ?? 'pod'} ${reason}`),
    },
  };
  const pod = makePod({ containers, volumes });
  const ensure = () =>
    ensureVolumeImages(context, pod, { container: containers[0] ?? { name: '' }, sandboxConfig: {} });
  return { ensure, events, pulled };
}

test('the images of the volumes that a container mounts are pulled', async () => {
  const { ensure, events, pulled } = subject(async () => ({ imageRef: 'ref' }));
  expect(await ensure()).toEqual({ images: new Map([['data', { id: 'id of registry/data:1' }]]) });
  expect(pulled).toEqual(['registry/data:1']);
  expect(events).toEqual(['pod Pulling', 'pod Pulled']);
});

test('a container waits for an image volume whose image cannot be pulled', async () => {
  const { ensure } = subject(async () => {
    throw new Error('no such image');
  });
  expect(await ensure()).toMatchObject({ refused: { reason: 'ErrImagePull' } });
  expect(await ensure()).toMatchObject({ refused: { reason: 'ImagePullBackOff' } });
});
