import { VirtualClock } from '@coracle/base';
import type { ImageService } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { fakeReferences, makePod } from '../builders.fixture.js';
import { RestartBackoff } from '../restart-backoff.js';
import { ensureVolumeImages } from './ensure-image.js';
import { PullQueue } from './pull-queue.js';

/** A registry and a node. */
function nodeWith({ present, served }: { readonly present: readonly string[]; readonly served: readonly string[] }) {
  const here = new Set(present);
  const pulled: string[] = [];
  const events: string[] = [];
  const images: ImageService = {
    imageStatus: async ({ image }) => {
      const name = image?.image ?? '';
      return here.has(name) ? { image: { id: `sha256:${name}` } } : {};
    },
    pullImage: async ({ image }) => {
      const name = image?.image ?? '';
      if (!served.includes(name)) throw new Error('not found');
      pulled.push(name);
      here.add(name);
      return { imageRef: `sha256:${name}` };
    },
    listImages: async () => ({}),
    async *streamImages() {},
    removeImage: async () => ({}),
    imageFsInfo: async () => ({}),
  };
  const clock = new VirtualClock();
  const recorder = { event: (_about: object, _type: string, reason: string) => void events.push(reason) };
  const pulls = new PullQueue(1);
  const context = { images, clock, recorder, pulls, backoff: new RestartBackoff(clock), references: fakeReferences() };
  return { context, pulled, events };
}

const container = { name: 'c', image: 'app', volumeMounts: [{ name: 'data', mountPath: '/data' }] };
const podWith = (pullPolicy: string) =>
  makePod({
    containers: [container],
    volumes: [
      { name: 'data', image: { reference: 'data:1', pullPolicy } },
      { name: 'other', image: { reference: 'other:1', pullPolicy: 'Always' } },
    ],
  });

describe('images that are volumes', () => {
  test.each([
    { policy: 'Always', present: ['data:1'], pulls: ['data:1'] },
    { policy: 'IfNotPresent', present: ['data:1'], pulls: [] },
    { policy: 'IfNotPresent', present: [], pulls: ['data:1'] },
  ])('$policy with $present: pulls $pulls', async ({ policy, present, pulls }) => {
    const { context, pulled } = nodeWith({ present, served: ['data:1'] });
    const outcome = await ensureVolumeImages(context, podWith(policy), { container, sandboxConfig: {} });
    expect(outcome).toEqual({
      images: new Map([['data', { image: 'sha256:data:1', userSpecifiedImage: 'data:1' }]]),
    });
    expect(pulled).toEqual(pulls);
  });

  test('an image that must not be pulled, and one that cannot be', async () => {
    const { context, events } = nodeWith({ present: [], served: [] });
    const ask = (policy: string) => ensureVolumeImages(context, podWith(policy), { container, sandboxConfig: {} });
    expect(await ask('Never')).toMatchObject({
      refused: {
        reason: 'ErrImageNeverPull',
        message: 'Container image "data:1" is not present with pull policy of Never',
      },
    });
    expect(await ask('Always')).toMatchObject({ refused: { reason: 'ErrImagePull', message: 'not found' } });
    expect(await ask('Always')).toMatchObject({ refused: { reason: 'ImagePullBackOff' } });
    expect(events).toEqual(['ErrImageNeverPull', 'Pulling', 'Failed', 'Failed', 'BackOff']);
  });
});
