import { VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { fakeReferences, makePod } from '../builders.fixture.js';
import { RestartBackoff } from '../restart-backoff.js';
import { ensureImage, type ImageContext } from './ensure-image.js';
import { PullQueue } from './pull-queue.js';

function subject(images: Partial<ImageContext['images']>) {
  const clock = new VirtualClock();
  const events: string[] = [];
  const context = {
    images: { imageStatus: async () => ({}), ...images } as ImageContext['images'],
    clock,
    imageBackoff: new RestartBackoff(clock),
    pulls: new PullQueue(1),
    references: fakeReferences(),
    recorder: {
      event: (_: unknown, type: string, reason: string, message: string) =>
        void events.push(`${type} ${reason} ${message}`),
    },
  };
  const pod = makePod({});
  const ensure = (name: string, policy?: string) =>
    ensureImage(context, pod, { name, policy, about: { kind: 'Pod' }, sandboxConfig: {} });
  return { ensure, events };
}

test('a name that is none is refused without a pull', async () => {
  const { ensure, events } = subject({ pullImage: () => Promise.reject(new Error('not to be pulled')) });
  const message =
    'Failed to apply default image tag "Nginx": couldn\'t parse image name "Nginx": ' +
    'invalid reference format: repository name (library/Nginx) must be lowercase';
  expect(await ensure('Nginx')).toMatchObject({ refused: { reason: 'InvalidImageName', message } });
  expect(events).toEqual([`Warning InspectFailed ${message}`, 'Warning Failed Error: InvalidImageName']);
});

test('a runtime that cannot say whether it has an image is named as the reason', async () => {
  const { ensure, events } = subject({ imageStatus: () => Promise.reject(new Error('disk is broken')) });
  const message = 'Failed to inspect image "nginx": disk is broken';
  expect(await ensure('nginx')).toMatchObject({ refused: { reason: 'ImageInspectError', message } });
  expect(events).toEqual([`Warning InspectFailed ${message}`, 'Warning Failed Error: ImageInspectError']);
});

test('each refusal is an event with its reason', async () => {
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
