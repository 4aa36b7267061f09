import { type Activity, type Clock, every, type Logger, type Millis, messageOf, monotonicNow } from '@coracle/base';
import type { EventRecorder } from '@coracle/client';
import type { Image, ImageService, RuntimeService } from '@coracle/cri';
import { nodeReference } from '../container-reference.js';
import type { HostUsageSource } from '../host-usage.js';
import type { KubeletSettings } from '../settings.js';
import { bytesToFree, type ImageRecord, planImageRemoval, usedPercent } from './plan-image-removal.js';

export interface ImageGarbageOptions {
  readonly nodeName: string;
  readonly runtime: Pick<RuntimeService, 'listContainers'>;
  readonly images: Pick<ImageService, 'imageStatus' | 'listImages' | 'removeImage'>;
  readonly host: HostUsageSource | undefined;
  readonly settings: KubeletSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity: Activity;
  readonly recorder: EventRecorder;
  /** The images of image volumes, as the pods name them. */
  readonly volumeImages: () => readonly string[];
}

const periodMs: Millis = 300_000;

/**
 * Removes images that no container or volume uses when their filesystem gets full, or when they were unused for the
 * maximum age.
 */
export class ImageGarbage implements Disposable {
  readonly #options: ImageGarbageOptions;
  readonly #startedAt: Millis;
  readonly #collecting: Disposable;
  /** By image id. */
  #records = new Map<string, ImageRecord>();
  #failed = false;

  constructor(options: ImageGarbageOptions) {
    this.#options = options;
    this.#startedAt = monotonicNow(options.clock);
    this.#collecting = every(options.clock, periodMs, () => void this.#tryCollect());
  }

  /** Removes images that exceed the maximum age, and then as many as the thresholds require. */
  async collect(): Promise<void> {
    const { host, settings, recorder, nodeName } = this.#options;
    await this.#detect();
    await this.#removeOld();
    if (settings.imageGCHighThresholdPercent >= 100) return;
    const usage = await host?.read();
    const room = (usage?.imageFilesystem ?? usage?.nodeFilesystem)?.bytes;
    if (!room) return;
    if (room.capacity === 0) {
      const message = 'invalid capacity 0 on image filesystem';
      recorder.event(nodeReference(nodeName), 'Warning', 'InvalidDiskCapacity', message);
      throw new Error(message);
    }
    if (usedPercent(room) < settings.imageGCHighThresholdPercent) return;
    const bytes = bytesToFree(room, settings.imageGCLowThresholdPercent);
    const freed = await this.#free(bytes);
    if (freed >= bytes) return;
    const message = `Failed to garbage collect required amount of images. Attempted to free ${bytes} bytes, but only found ${freed} bytes eligible to free.`;
    recorder.event(nodeReference(nodeName), 'Warning', 'FreeDiskSpaceFailed', message);
    throw new Error(message);
  }

  /** Disk space is needed: every unused image is removed. */
  async removeUnused(): Promise<void> {
    await this.#detect();
    await this.#free(Number.POSITIVE_INFINITY);
  }

  [Symbol.dispose](): void {
    this.#collecting[Symbol.dispose]();
  }

  async #tryCollect(): Promise<void> {
    const { recorder, nodeName, logger, activity } = this.#options;
    using _busy = activity.begin();
    try {
      await this.collect();
      this.#failed = false;
    } catch (error) {
      const message = messageOf(error);
      logger.error('Images could not be removed', { error });
      // The first time, statistics may not be available yet.
      if (this.#failed) recorder.event(nodeReference(nodeName), 'Warning', 'ImageGCFailed', message);
      this.#failed = true;
    }
  }

  /** The images on the node, and when they were last used. */
  async #detect(): Promise<void> {
    const { images, runtime, clock } = this.#options;
    const { images: present = [] } = await images.listImages({});
    const { containers = [] } = await runtime.listContainers({});
    const ofContainers = containers.flatMap(({ image, imageRef, imageId }) => [image?.image, imageRef, imageId]);
    const used = new Set([...ofContainers, ...(await this.#idsOfVolumes())]);
    const now = monotonicNow(clock);
    const before = this.#records;
    this.#records = new Map(
      present.map((image) => {
        const entry = before.get(image.id ?? '');
        const detectedAt = entry?.detectedAt ?? now;
        const isUsed = isUsedBy(image, used);
        return [image.id ?? '', { image, detectedAt, isUsed, usedAt: isUsed ? now : (entry?.usedAt ?? 0) }];
      }),
    );
  }

  async #idsOfVolumes(): Promise<(string | undefined)[]> {
    const { images, volumeImages } = this.#options;
    const found = volumeImages().map((name) => images.imageStatus({ image: { image: name } }));
    return (await Promise.all(found)).map(({ image }) => image?.id);
  }

  async #removeOld(): Promise<void> {
    const { clock, settings } = this.#options;
    const longest = settings.imageMaximumGCAge;
    const now = monotonicNow(clock);
    if (longest === 0 || now - this.#startedAt <= longest) return;
    const old = [...this.#records.values()].filter(
      ({ isUsed, usedAt, detectedAt }) => !isUsed && now - Math.max(usedAt, detectedAt) > longest,
    );
    const minimumAge = settings.imageMinimumGCAge;
    await this.#remove(planImageRemoval({ records: old, now, minimumAge, bytes: Number.POSITIVE_INFINITY }));
  }

  async #free(bytes: number): Promise<number> {
    const { clock, settings } = this.#options;
    const records = [...this.#records.values()];
    return this.#remove(
      planImageRemoval({ records, now: monotonicNow(clock), minimumAge: settings.imageMinimumGCAge, bytes }),
    );
  }

  /** Returns how many bytes were freed. Failures are reported after the other images are removed. */
  async #remove(images: readonly Image[]): Promise<number> {
    const problems: unknown[] = [];
    let freed = 0;
    for (const { id = '', size = 0 } of images) {
      try {
        await this.#options.images.removeImage({ image: { image: id } });
        this.#records.delete(id);
        freed += size;
      } catch (error) {
        problems.push(error);
      }
    }
    if (problems.length > 0) throw new Error(`wanted to free images, but failed: ${problems.map(String).join(', ')}`);
    return freed;
  }
}

/** Containers refer to their image by id, by digest or by name. */
function isUsedBy({ id, repoDigests = [], repoTags = [] }: Image, used: ReadonlySet<string | undefined>): boolean {
  return [id, ...repoDigests, ...repoTags].some((name) => used.has(name));
}
