import { type Clock, type Millis, sleep } from '@coracle/base';
import {
  CriError,
  type Image,
  type ImageFsInfoResponse,
  type ImageService,
  type ImageStatusRequest,
  type ImageStatusResponse,
  type ListImagesResponse,
  type PullImageRequest,
  type PullImageResponse,
  type RemoveImageRequest,
  type RemoveImageResponse,
  type StreamImagesResponse,
} from '@coracle/cri';
import { fullImageName, isNowhere, pseudoDigest } from './image-name.js';

export interface PullBehaviour {
  readonly pullDelayMs: Millis;
  readonly pullError: string | undefined;
}

export interface SimulatedImagesOptions {
  readonly clock: Clock;
  /** The simulated pull of an image for the pod of this sandbox. */
  readonly behaviourOf: (request: PullImageRequest) => PullBehaviour;
}

/** The images of a node: what is requested exists, unless its pod or its own name says otherwise. */
export class SimulatedImages implements ImageService {
  readonly #options: SimulatedImagesOptions;
  /** By full name. */
  readonly #images = new Map<string, Image>();

  constructor(options: SimulatedImagesOptions) {
    this.#options = options;
  }

  /** The image reference in a container's status: its repository with the digest. */
  refOf(name: string): string {
    const { repoDigests } = this.#images.get(fullImageName(name)) ?? imageOf(name);
    return repoDigests?.[0] ?? '';
  }

  listImages(): Promise<ListImagesResponse> {
    return Promise.resolve({ images: [...this.#images.values()] });
  }

  async *streamImages(): AsyncIterable<StreamImagesResponse> {
    yield { images: [...this.#images.values()] };
  }

  imageStatus({ image }: ImageStatusRequest): Promise<ImageStatusResponse> {
    const entry = this.#images.get(fullImageName(image?.image ?? ''));
    return Promise.resolve(entry ? { image: entry } : {});
  }

  async pullImage(request: PullImageRequest): Promise<PullImageResponse> {
    const name = request.image?.image ?? '';
    const { pullDelayMs, pullError } = this.#options.behaviourOf(request);
    if (pullDelayMs > 0) await sleep(this.#options.clock, pullDelayMs);
    if (pullError !== undefined) throw new CriError('Unknown', pullMessage(name, pullError));
    if (isNowhere(name)) throw new CriError('NotFound', pullMessage(name, `${fullImageName(name)}: not found`));
    const image = imageOf(name);
    this.#images.set(fullImageName(name), image);
    return { imageRef: image.id ?? '' };
  }

  /** By its name or its id. */
  removeImage({ image }: RemoveImageRequest): Promise<RemoveImageResponse> {
    const reference = image?.image ?? '';
    const named = [...this.#images].find(([, { id }]) => id === reference)?.[0];
    this.#images.delete(named ?? fullImageName(reference));
    return Promise.resolve({});
  }

  /** Size of all images. */
  get bytes(): number {
    return [...this.#images.values()].reduce((sum, { size = 0 }) => sum + size, 0);
  }

  imageFsInfo(): Promise<ImageFsInfoResponse> {
    const usedBytes = { value: this.bytes };
    const timestamp = this.#options.clock.now() * 1e6;
    return Promise.resolve({
      imageFilesystems: [{ timestamp, fsId: { mountpoint: '/var/lib/containerd' }, usedBytes }],
    });
  }
}

function pullMessage(name: string, error: string): string {
  const full = fullImageName(name);
  return `failed to pull and unpack image "${full}": failed to resolve reference "${full}": ${error}`;
}

function imageOf(name: string): Image {
  const full = fullImageName(name);
  const digest = pseudoDigest(full);
  const repository = full.replace(/@.*$/, '').replace(/:[^/]*$/, '');
  return {
    id: digest,
    repoTags: full.includes('@') ? [] : [full],
    repoDigests: [full.includes('@') ? full : `${repository}@${digest}`],
    // Some plausible size, always the same for one image.
    size: 1_000_000 + (Number.parseInt(digest.slice(7, 14), 16) % 200_000_000),
  };
}
