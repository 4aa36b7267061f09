import type { Container, Pod } from '@coracle/api';
import { formatDuration } from '@coracle/apimachinery';
import { type Clock, messageOf } from '@coracle/base';
import type { EventRecorder } from '@coracle/client';
import type { Image, ImageService, PodSandboxConfig } from '@coracle/cri';
import { containerReference } from '../container-reference.js';
import type { RestartBackoff } from '../restart-backoff.js';
import type { WaitingReason } from '../status/container-status.js';
import type { PullQueue } from './pull-queue.js';

export interface ImageContext {
  readonly images: ImageService;
  readonly backoff: RestartBackoff;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly pulls: PullQueue;
}

/** The image is on the node, or why it is not. */
export type ImageOutcome =
  | { readonly image: Image }
  | { readonly refused: WaitingReason /** When it makes sense to try again. */; readonly retryMs: number };

/** Gets a container's image onto the node, as its pull policy says. */
export async function ensureImage(
  context: ImageContext,
  pod: Pod,
  { container, sandboxConfig: config }: { readonly container: Container; readonly sandboxConfig: PodSandboxConfig },
): Promise<ImageOutcome> {
  const { images, recorder } = context;
  const about = containerReference(pod, container);
  const name = container.image ?? '';
  const policy = container.imagePullPolicy ?? 'IfNotPresent';
  const present = (await images.imageStatus({ image: { image: name } })).image;
  if (present && policy !== 'Always') {
    recorder.event(
      about,
      'Normal',
      'Pulled',
      `Container image "${name}" already present on machine and can be accessed by the pod`,
    );
    return { image: present };
  }
  if (policy === 'Never') {
    const message = `Container image "${name}" is not present with pull policy of Never`;
    recorder.event(about, 'Warning', 'ErrImageNeverPull', message);
    return { refused: { reason: 'ErrImageNeverPull', message }, retryMs: 10_000 };
  }
  return pull(context, { pod, container, config });
}

async function pull(
  { images, backoff, clock, recorder, pulls }: ImageContext,
  { pod, container, config }: { readonly pod: Pod; readonly container: Container; readonly config: PodSandboxConfig },
): Promise<ImageOutcome> {
  const about = containerReference(pod, container);
  const name = container.image ?? '';
  const key = `${pod.metadata.uid}/image/${name}`;
  const waitMs = backoff.waitMs(key, backoff.lastFailure(key));
  if (waitMs > 0) {
    const message = `Back-off pulling image "${name}"`;
    recorder.event(about, 'Normal', 'BackOff', message);
    const said = backoff.lastError(key);
    return {
      refused: { reason: 'ImagePullBackOff', message: said ? `${message}: ${said}` : message },
      retryMs: waitMs,
    };
  }
  recorder.event(about, 'Normal', 'Pulling', `Pulling image "${name}"`);
  const askedAt = clock.now();
  let startedAt = askedAt;
  try {
    const { imageRef = '' } = await pulls.run(() => {
      startedAt = clock.now();
      return images.pullImage({ image: { image: name }, sandboxConfig: config });
    });
    const { image = { id: imageRef } } = await images.imageStatus({ image: { image: name } });
    const { size = 0 } = image;
    const [took, waited] = [startedAt, askedAt].map((since) => formatDuration(clock.now() - since));
    const message = `Successfully pulled image "${name}" in ${took} (${waited} including waiting). Image size: ${size} bytes.`;
    recorder.event(about, 'Normal', 'Pulled', message);
    return { image };
  } catch (error) {
    const message = messageOf(error);
    backoff.failed(key, `ErrImagePull: ${message}`);
    recorder.event(about, 'Warning', 'Failed', `Failed to pull image "${name}": ${message}`);
    recorder.event(about, 'Warning', 'Failed', 'Error: ErrImagePull');
    return { refused: { reason: 'ErrImagePull', message }, retryMs: backoff.waitMs(key, clock.now()) };
  }
}
