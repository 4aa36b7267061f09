import { VirtualClock } from '@coracle/base';
import type { ImageStatusRequest } from '@coracle/cri';
import { expect, test } from 'vitest';
import { fakeReferences, makePod } from '../builders.fixture.js';
import { RestartBackoff } from '../restart-backoff.js';
import { defaultSettings, type KubeletSettings } from '../settings.js';
import { ensureImage, type ImageContext } from './ensure-image.js';
import { PullQueue } from './pull-queue.js';

function subject(images: Partial<ImageContext['images']>, settings: Partial<KubeletSettings> = {}) {
  const clock = new VirtualClock();
  const events: string[] = [];
  const context = {
    images: { imageStatus: async () => ({}), ...images } as ImageContext['images'],
    clock,
    imageBackoff: new RestartBackoff(clock),
    pulls: new PullQueue(clock, { ...defaultSettings, ...settings }),
    references: fakeReferences(),
    recorder: {
      event: (_: unknown, type: string, reason: string, message: string) =>
        void events.push(`${type} ${reason} ${message}`),
    },
  };
  const pod = makePod({});
  const ensure = (name: string, policy?: string) =>
    ensureImage(context, pod, { name, policy, about: { kind: 'Pod' }, sandboxConfig: {} });
  return { ensure, events, clock };
}

test('an invalid name is rejected without a pull', async () => {
  const { ensure, events } = subject({ pullImage: () => Promise.reject(new Error('not to be pulled')) });
  const message =
    'Failed to apply default image tag "Nginx": couldn\'t parse image name "Nginx": ' +
    'invalid reference format: repository name (library/Nginx) must be lowercase';
  expect(await ensure('Nginx')).toMatchObject({ refused: { reason: 'InvalidImageName', message } });
  expect(events).toEqual([`Warning InspectFailed ${message}`, 'Warning Failed Error: InvalidImageName']);
});

test('an error of the runtime’s image status is the reason', async () => {
  const { ensure, events } = subject({ imageStatus: () => Promise.reject(new Error('disk is broken')) });
  const message = 'Failed to inspect image "nginx": disk is broken';
  expect(await ensure('nginx')).toMatchObject({ refused: { reason: 'ImageInspectError', message } });
  expect(events).toEqual([`Warning InspectFailed ${message}`, 'Warning Failed Error: ImageInspectError']);
});

test('each failure is an event with its reason', async () => {
  const { ensure, events } = subject({ pullImage: () => Promise.reject(new Error('no such image')) });
  await ensure('nginx');
  await ensure('nginx');
  await ensure('nginx', 'Never');
  expect(events).toEqual([
    'Normal Pulling Pulling image "nginx"',
    'Warning Failed Failed to pull image "nginx": no such image',
    'Warning Failed Error: ErrImagePull',
    'Normal BackOff Back-off pulling image "nginx"',
    'Warning Failed Error: ImagePullBackOff',
    'Warning ErrImageNeverPull Container image "nginx" is not present with pull policy of Never',
    'Warning Failed Error: ErrImageNeverPull',
  ]);
});

test('a failed pull is ImagePullBackOff soon after, however long the wait is', async () => {
  const { ensure, clock } = subject({ pullImage: () => Promise.reject(new Error('no such image')) });
  const reasons: string[] = [];
  for (let looks = 0; looks < 8; looks++) {
    const outcome = await ensure('nginx');
    if (!('refused' in outcome)) throw new Error('there is no such image');
    reasons.push(`${outcome.refused.reason} ${outcome.retryMs / 1_000}`);
    await clock.advance(outcome.retryMs);
  }
  expect(reasons).toEqual([
    ...['ErrImagePull 5', 'ImagePullBackOff 5', 'ErrImagePull 10', 'ImagePullBackOff 10'],
    ...['ErrImagePull 10', 'ImagePullBackOff 30', 'ErrImagePull 10', 'ImagePullBackOff 70'],
  ]);
});

test('pulls beyond the rate of the node fail, and are retried; present images do not count', async () => {
  const images = {
    imageStatus: async ({ image }: ImageStatusRequest) => ({ ...(here(image) && { image: { id: 'i' } }) }),
  };
  const here = (image: ImageStatusRequest['image']) => image?.image === 'here';
  const pullImage = async () => ({ imageRef: 'ref' });
  const { ensure, events, clock } = subject({ ...images, pullImage }, { registryPullQPS: 1, registryBurst: 1 });
  for (let one = 0; one < 5; one++) expect(await ensure('here')).toEqual({ image: { id: 'i' } });
  expect(await ensure('a')).toMatchObject({ image: { id: 'ref' } });
  events.length = 0;
  expect(await ensure('b')).toEqual({
    refused: { reason: 'ErrImagePull', message: 'pull QPS exceeded' },
    retryMs: 5_000,
  });
  expect(events).toEqual([
    'Normal Pulling Pulling image "b"',
    'Warning Failed Failed to pull image "b": pull QPS exceeded',
    'Warning Failed Error: ErrImagePull',
  ]);
  expect(await ensure('b')).toMatchObject({
    refused: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "b": ErrImagePull: pull QPS exceeded' },
  });
  await clock.advance(10_000);
  expect(await ensure('b')).toMatchObject({ image: { id: 'ref' } });
});
