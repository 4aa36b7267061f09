import type { ObjectReference, Pod } from '@coracle/api';
import { formatDuration } from '@coracle/apimachinery';
import { type Clock, type Millis, monotonicNow } from '@coracle/base';
import type { EventRecorder } from '@coracle/client';
import {
  type AuthConfig,
  type Image,
  type ImageService,
  type PodSandboxConfig,
  type PullImageRequest,
  rpcTextOf,
} from '@coracle/cri';
import { podReference } from '../container-reference.js';
import type { PodReferences } from '../pod-references.js';
import type { RestartBackoff } from '../restart-backoff.js';
import type { WaitingReason } from '../status/container-status.js';
import type { CredentialProviders } from './credential-providers.js';
import { imageNameProblem } from './image-name.js';
import type { PullQueue } from './pull-queue.js';
import { credentialsFor, credentialsIn, pullSecretsOf } from './registry-credentials.js';

/** When a refusal is looked at again. After a failed pull it is then ImagePullBackOff, until the next attempt. */
const retryMs: Millis = 10_000;

export interface ImageContext {
  readonly images: Pick<ImageService, 'imageStatus' | 'pullImage'>;
  readonly imageBackoff: RestartBackoff;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly pulls: PullQueue;
  readonly references: PodReferences;
  /** Credentials from outside of the cluster. */
  readonly credentialProviders?: CredentialProviders;
}

/** Why an image is not on the node. */
export interface ImageRefusal {
  readonly refused: WaitingReason;
  /** Time until a retry makes sense. */
  readonly retryMs: number;
}

/** Whether the image is on the node, or why not. */
export type ImageOutcome = { readonly image: Image } | ImageRefusal;

/** An image for a container, or a volume, of a pod. */
export interface ImageRequest {
  readonly name: string;
  readonly policy: string | undefined;
  /** The object of its events. */
  readonly about: ObjectReference;
  readonly sandboxConfig: PodSandboxConfig;
}

/** Pulls an image according to its pull policy. A failure is recorded as an event. */
export async function ensureImage(context: ImageContext, pod: Pod, request: ImageRequest): Promise<ImageOutcome> {
  const outcome = await findOrPull(context, pod, request);
  if ('refused' in outcome)
    context.recorder.event(request.about, 'Warning', 'Failed', `Error: ${outcome.refused.reason}`);
  return outcome;
}

async function findOrPull(context: ImageContext, pod: Pod, request: ImageRequest): Promise<ImageOutcome> {
  const { images, recorder } = context;
  const { about, name, policy = 'IfNotPresent' } = request;
  const problem = imageNameProblem(name);
  if (problem !== undefined) {
    const text = JSON.stringify(name);
    const message = `Failed to apply default image tag ${text}: couldn't parse image name ${text}: ${problem}`;
    return uninspected(context, about, { reason: 'InvalidImageName', message });
  }
  const status = await images.imageStatus({ image: { image: name } }).catch((error: unknown) => ({ error }));
  if ('error' in status) {
    const message = `Failed to inspect image ${JSON.stringify(name)}: ${rpcTextOf(status.error)}`;
    return uninspected(context, about, { reason: 'ImageInspectError', message });
  }
  const { image: present } = status;
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
    return { refused: { reason: 'ErrImageNeverPull', message }, retryMs };
  }
  return pull(context, pod, request);
}

function uninspected({ recorder }: ImageContext, about: ObjectReference, refused: WaitingReason): ImageRefusal {
  recorder.event(about, 'Warning', 'InspectFailed', refused.message ?? '');
  return { refused, retryMs };
}

async function pull(context: ImageContext, pod: Pod, request: ImageRequest): Promise<ImageOutcome> {
  const { images, imageBackoff: backoff, clock, recorder, pulls } = context;
  const { about, name, sandboxConfig } = request;
  const key = `${pod.metadata.uid}/image/${name}`;
  const waitMs = backoff.waitMs(key);
  if (waitMs > 0) {
    const message = `Back-off pulling image "${name}"`;
    recorder.event(about, 'Normal', 'BackOff', message);
    const lastError = backoff.lastError(key);
    return {
      refused: { reason: 'ImagePullBackOff', message: lastError ? `${message}: ${lastError}` : message },
      retryMs: waitMs,
    };
  }
  recorder.event(about, 'Normal', 'Pulling', `Pulling image "${name}"`);
  const askedAt = monotonicNow(clock);
  let startedAt = askedAt;
  try {
    const auths = await authsFor(context, pod, name);
    const imageRef = await pulls.run(() => {
      startedAt = monotonicNow(clock);
      return pullWith(images, auths, { image: { image: name }, sandboxConfig });
    });
    const { image = { id: imageRef } } = await images.imageStatus({ image: { image: name } });
    const { size = 0 } = image;
    const [took, waited] = [startedAt, askedAt].map((since) => formatDuration(Math.round(monotonicNow(clock) - since)));
    const message = `Successfully pulled image "${name}" in ${took} (${waited} including waiting). Image size: ${size} bytes.`;
    recorder.event(about, 'Normal', 'Pulled', message);
    return { image };
  } catch (error) {
    const message = rpcTextOf(error);
    backoff.failed(key, `ErrImagePull: ${message}`);
    recorder.event(about, 'Warning', 'Failed', `Failed to pull image "${name}": ${message}`);
    return { refused: { reason: 'ErrImagePull', message }, retryMs: Math.min(retryMs, backoff.waitMs(key) / 2) };
  }
}

/** Credentials for the registry: those of the pod's secrets, then those of credential providers. */
async function authsFor(
  { references, recorder, credentialProviders }: ImageContext,
  pod: Pod,
  image: string,
): Promise<readonly AuthConfig[]> {
  const names = pullSecretsOf(pod);
  const secrets = await Promise.all(names.map((name) => references.secret(pod.metadata.namespace ?? '', name)));
  const missing = names.filter((_, index) => !secrets[index]);
  if (missing.length > 0)
    recorder.event(
      podReference(pod),
      'Warning',
      'FailedToRetrieveImagePullSecret',
      `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`,
    );
  const own = secrets.flatMap((secret) => (secret ? credentialsIn(secret) : []));
  const others = (await credentialProviders?.credentialsFor(image)) ?? [];
  return [...credentialsFor(image, own), ...credentialsFor(image, others)];
}

/** Pulls with each credential in turn; anonymously without any. Returns the image reference. */
async function pullWith(
  images: ImageContext['images'],
  auths: readonly AuthConfig[],
  request: PullImageRequest,
): Promise<string> {
  if (auths.length === 0) return (await images.pullImage(request)).imageRef ?? '';
  let failure: unknown;
  for (const auth of auths) {
    try {
      return (await images.pullImage({ ...request, auth })).imageRef ?? '';
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
