import type { Node, Pod } from '@coracle/api';
import type { NodeInfo } from '../cache/node-info.js';
import { stateKey } from '../framework/cycle-state.js';
import { maxScore, type PreScorePlugin, type ScorePlugin } from '../framework/plugin.js';

const mebibyte = 1024 * 1024;
/** Image sizes below the first threshold do not count; above the second the score is the maximum. */
const leastBytes = 23 * mebibyte;
const mostBytesPerImage = 1000 * mebibyte;

interface PodImages {
  readonly names: readonly string[];
  /**
   * Image name → its size times the fraction of nodes that have it, so that an image on only one node does not attract
   * every pod.
   */
  readonly spreadSizes: ReadonlyMap<string, number>;
}

const podImages = stateKey<PodImages>('ImageLocality');

/** Prefers nodes that have the pod's images already. */
export const imageLocality: PreScorePlugin & ScorePlugin = {
  name: 'ImageLocality',

  preScore(state, { pod }) {
    const nodes = state.allNodes;
    const spreadSizes = new Map<string, number>();
    const held = heldImages(nodes);
    const names = imagesOf(pod);
    for (const image of new Set(names)) {
      const found = held.get(image);
      if (found) spreadSizes.set(image, Math.trunc(found.bytes * (found.holders / nodes.length)));
    }
    if (spreadSizes.size === 0) return 'skip';
    state.write(podImages, { names, spreadSizes });
    return undefined;
  },

  score(state, _pod, { node }) {
    const { names, spreadSizes } = state.read(podImages) ?? noImages;
    const here = imagesOn(node);
    let sum = 0;
    for (const image of names) if (here.has(image)) sum += spreadSizes.get(image) ?? 0;
    const most = mostBytesPerImage * names.length;
    return Math.trunc((maxScore * (Math.min(Math.max(sum, leastBytes), most) - leastBytes)) / (most - leastBytes));
  },
};

const noImages: PodImages = { names: [], spreadSizes: new Map() };

/** Images of its containers and of its image volumes. */
function imagesOf({ spec }: Pod): string[] {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ image = '' }) => image);
  const volumes = (spec?.volumes ?? []).flatMap(({ image }) => (image ? [image.reference ?? ''] : []));
  return [...containers, ...volumes].map(normalizedName);
}

interface HeldImage {
  readonly bytes: number;
  readonly holders: number;
}

/**
 * The cache returns a new list of nodes when their images change, so results computed from a list stay valid with it.
 */
const heldByList = new WeakMap<readonly NodeInfo[], ReadonlyMap<string, HeldImage>>();

/** Every image on any node: the number of nodes that have it, and the last reported size. */
function heldImages(nodes: readonly NodeInfo[]): ReadonlyMap<string, HeldImage> {
  let held = heldByList.get(nodes);
  if (!held) {
    const counted = new Map<string, HeldImage>();
    for (const { node } of nodes)
      for (const [image, bytes] of imagesOn(node))
        counted.set(image, { bytes, holders: (counted.get(image)?.holders ?? 0) + 1 });
    held = counted;
    heldByList.set(nodes, held);
  }
  return held;
}

const cache = new WeakMap<Node, ReadonlyMap<string, number>>();

function imagesOn(node: Node): ReadonlyMap<string, number> {
  let images = cache.get(node);
  if (!images) {
    images = new Map(
      (node.status?.images ?? []).flatMap(({ names = [], sizeBytes = 0 }) =>
        names.map((name): [string, number] => [name, Number(sizeBytes)]),
      ),
    );
    cache.set(node, images);
  }
  return images;
}

/** `busybox` means `busybox:latest`. */
function normalizedName(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
