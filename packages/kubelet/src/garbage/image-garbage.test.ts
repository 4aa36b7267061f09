import { Activity, silentLogger, sleep, VirtualClock } from '@coracle/base';
import { type Container, CriError, type Image } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { defaultSettings, type KubeletSettings } from '../settings.js';
import { ImageGarbage, type ImageGarbageOptions } from './image-garbage.js';
import { bytesToFree, planImageRemoval, usedPercent } from './plan-image-removal.js';

describe('planImageRemoval', () => {
  const image = (id: string, size: number, pinned = false): Image => ({ id, size, pinned });

  test('K30.4 the least recently used images are removed first, until enough is free', () => {
    const records = [
      { image: image('new', 10), detectedAt: 5, usedAt: 9, isUsed: false },
      { image: image('seen later', 10), detectedAt: 3, usedAt: 2, isUsed: false },
      { image: image('oldest', 10), detectedAt: 1, usedAt: 2, isUsed: false },
    ];
    const ids = (bytes: number) => planImageRemoval({ records, now: 10, minimumAge: 0, bytes }).map(({ id }) => id);
    expect(ids(10)).toEqual(['oldest']);
    expect(ids(11)).toEqual(['oldest', 'seen later']);
    expect(ids(Number.POSITIVE_INFINITY)).toEqual(['oldest', 'seen later', 'new']);
  });

  test('K30.4 K30.6 images that are in use, recent or pinned are not removed', () => {
    const records = [
      { image: image('in use', 10), detectedAt: 0, usedAt: 90, isUsed: true },
      { image: image('young', 10), detectedAt: 91, usedAt: 0, isUsed: false },
      { image: image('pinned', 10, true), detectedAt: 0, usedAt: 0, isUsed: false },
    ];
    expect(planImageRemoval({ records, now: 100, minimumAge: 10, bytes: 1 })).toEqual([]);
  });

  test.each([
    [{ capacity: 1_000, available: 150 }, 85],
    [{ capacity: 1_000, available: 159 }, 85],
    [{ capacity: 1_000, available: 149 }, 86],
    [{ capacity: 1_000, available: 2_000 }, 0],
  ])('K30.2 of %j are used %i percent', (room, percent) => {
    expect(usedPercent(room)).toBe(percent);
  });

  test('K30.3 images are removed down to the lower threshold', () => {
    expect(bytesToFree({ capacity: 1_000, available: 100 }, 80)).toBe(100);
  });
});

/** A node with images of 100 bytes each, on a disk of 1,000 bytes. */
function node(settings: Partial<KubeletSettings> = {}) {
  const clock = new VirtualClock();
  const present = new Map<string, Image>();
  const containers: Container[] = [];
  const events: string[] = [];
  let capacity = 1_000;
  let measuringMs = 0;
  const broken = new Set<string>();
  const images: ImageGarbageOptions['images'] = {
    imageStatus: async ({ image }) => {
      const found = present.get(image?.image ?? '');
      return found ? { image: found } : {};
    },
    listImages: async () => ({ images: [...present.values()] }),
    removeImage: async ({ image }) => {
      if (broken.has(image?.image ?? '')) throw new CriError('Unknown', 'busy');
      present.delete(image?.image ?? '');
      return {};
    },
  };
  const volumeImages: string[] = [];
  const garbage = new ImageGarbage({
    volumeImages: () => volumeImages,
    nodeName: 'n',
    runtime: { listContainers: async () => ({ containers }) },
    images,
    host: {
      read: async () => {
        if (measuringMs > 0) await sleep(clock, measuringMs);
        return {
          at: clock.now(),
          nodeFilesystem: { bytes: { capacity, available: capacity - present.size * 100 } },
        };
      },
    },
    settings: { ...defaultSettings, ...settings },
    clock,
    logger: silentLogger,
    activity: new Activity(),
    recorder: {
      event: (about, type, reason, message) => void events.push(`${about.kind} ${type} ${reason}: ${message}`),
    },
  });
  return {
    clock,
    containers,
    volumeImages,
    events,
    garbage,
    broken,
    setMeasuring: (ms: number) => {
      measuringMs = ms;
    },
    setCapacity: (bytes: number) => {
      capacity = bytes;
    },
    pull: (...ids: string[]) => {
      for (const id of ids) present.set(id, { id, size: 100, repoDigests: [`${id}@sha256:1`] });
    },
    left: () => [...present.keys()],
  };
}

const nine = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];

describe('ImageGarbage', () => {
  test('K30.1 K30.3 checks every five minutes, and removes unused images when their disk is full', async () => {
    const { clock, pull, left, containers } = node();
    pull(...nine);
    containers.push({ imageRef: 'a@sha256:1' });
    await clock.advance(300_000);
    // They were first seen at the start.
    expect(left()).toEqual(nine);
    await clock.advance(300_000);
    expect(left()).toEqual(['a', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
  });

  test('K30.4 keeps what containers have, though time goes on while the machine is measured', async () => {
    const { clock, pull, left, containers, setMeasuring } = node({ imageGCLowThresholdPercent: 0 });
    setMeasuring(5);
    pull(...nine);
    containers.push({ imageRef: 'a@sha256:1' });
    await clock.advance(600_010);
    expect(left()).toEqual(['a']);
  });

  test('keeps the images that volumes of pods show', async () => {
    const { clock, pull, left, volumeImages } = node();
    pull(...nine);
    volumeImages.push('a', 'gone');
    await clock.advance(600_000);
    expect(left()).toEqual(['a', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
  });

  test('K30.1 removes nothing below the threshold, or if it is 100', async () => {
    const few = node();
    few.pull('a', 'b');
    await few.clock.advance(900_000);
    expect(few.left()).toEqual(['a', 'b']);
    const off = node({ imageGCHighThresholdPercent: 100 });
    off.pull(...nine, 'j');
    await off.clock.advance(900_000);
    expect(off.left()).toHaveLength(10);
  });

  test('K30.5 reports that it could not free enough, and from the second time on that it failed', async () => {
    const { clock, pull, containers, events } = node();
    pull(...nine);
    containers.push(...nine.map((id) => ({ imageId: id })));
    await clock.advance(300_000);
    const short =
      'Failed to garbage collect required amount of images. Attempted to free 100 bytes, but only found 0 bytes eligible to free.';
    expect(events.splice(0)).toEqual([`Node Warning FreeDiskSpaceFailed: ${short}`]);
    await clock.advance(300_000);
    expect(events).toEqual([`Node Warning FreeDiskSpaceFailed: ${short}`, `Node Warning ImageGCFailed: ${short}`]);
  });

  test('K30.4 an image that cannot be removed does not prevent the removal of others', async () => {
    const { garbage, clock, pull, left, broken } = node();
    pull('a', 'b', 'c');
    broken.add('b');
    await garbage.removeUnused();
    await clock.advance(120_000);
    await expect(garbage.removeUnused()).rejects.toThrow('wanted to free images, but failed: CriError: busy');
    expect(left()).toEqual(['b']);
  });

  test('K30.2 reports a disk without size', async () => {
    const { clock, pull, events, setCapacity } = node();
    pull('a');
    setCapacity(0);
    await clock.advance(300_000);
    expect(events).toEqual(['Node Warning InvalidDiskCapacity: invalid capacity 0 on image filesystem']);
  });

  test('K4.9 removes images that were unused for longer than allowed, with any free space', async () => {
    const { clock, pull, left, containers } = node({ imageMaximumGCAge: 600_000 });
    pull('used', 'unused');
    containers.push({ imageId: 'used' });
    await clock.advance(900_000);
    expect(left()).toEqual(['used', 'unused']);
    await clock.advance(300_000);
    expect(left()).toEqual(['used']);
  });
});
