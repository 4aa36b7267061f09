import type { Container, Pod } from '@coracle/api';
import type { Image, PodSandboxConfig } from '@coracle/cri';
import { podReference } from '../container-reference.js';
import { ensureImage, type ImageContext, type ImageRefusal } from './ensure-image.js';

/** By the name of the volume. */
export type VolumeImages = ReadonlyMap<string, Image>;

/** Pulls the images of the volumes that a container mounts, each according to its pull policy. */
export async function ensureVolumeImages(
  context: ImageContext,
  pod: Pod,
  { container, sandboxConfig }: { readonly container: Container; readonly sandboxConfig: PodSandboxConfig },
): Promise<{ readonly images: VolumeImages } | ImageRefusal> {
  const images = new Map<string, Image>();
  const mounted = new Set(container.volumeMounts?.map(({ name }) => name));
  for (const { name, image } of pod.spec?.volumes ?? []) {
    if (!image || !mounted.has(name)) continue;
    const { reference = '', pullPolicy } = image;
    const request = { name: reference, policy: pullPolicy, about: podReference(pod), sandboxConfig };
    const outcome = await ensureImage(context, pod, request);
    if ('refused' in outcome) return outcome;
    images.set(name, outcome.image);
  }
  return { images };
}
