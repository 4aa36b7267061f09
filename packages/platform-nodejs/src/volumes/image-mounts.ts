import { mkdir } from 'node:fs/promises';
import { createCodec, type ImageService, isCriError } from '@coracle/cri';
import { GrpcConnection } from '../cri/grpc-connection.js';
import { mount } from './mount-command.js';
import { isMountPoint } from './mount-table.js';

export interface ImageMountsOptions {
  /** Of containerd, whose CRI and own services are behind one socket. */
  readonly endpoint: string;
  readonly images: Pick<ImageService, 'imageStatus' | 'imageFsInfo'>;
}

export type MountImage = (image: string, directory: string) => Promise<void>;

/** A mount that containerd describes and leaves to its client. */
interface SnapshotMount {
  readonly type?: string;
  readonly source?: string;
  readonly options?: readonly string[];
}

const codec = createCodec({
  messages: {
    Remove: { snapshotter: [1, 'string'], key: [2, 'string'] },
    Empty: {},
    View: { snapshotter: [1, 'string'], key: [2, 'string'], parent: [3, 'string'] },
    Mounts: { mounts: [1, 'repeated Mount'] },
    Mount: { type: [1, 'string'], source: [2, 'string'], options: [4, 'repeated string'] },
  },
  enums: {},
});

const service = '/containerd.services.snapshots.v1.Snapshots';
const view = { path: `${service}/View`, request: 'View', response: 'Mounts' };
const remove = { path: `${service}/Remove`, request: 'Remove', response: 'Empty' };
const timeoutMs = 30_000;

/** containerd mounts images into containers since version 2.1; the versions before ignore that they should. */
export function mountsImages({
  runtimeName = '',
  runtimeVersion = '',
}: {
  readonly runtimeName?: string;
  readonly runtimeVersion?: string;
}): boolean {
  const [, major = '0', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(runtimeVersion) ?? [];
  return runtimeName !== 'containerd' || Number(major) > 2 || (major === '2' && Number(minor) >= 1);
}

/**
 * Mounts the layers of images on the node. A view of an image is only needed to find its layers, which exist as long as
 * the image.
 */
export function createImageMounts({ endpoint, images }: ImageMountsOptions): MountImage & Disposable {
  const connection = new GrpcConnection({ endpoint, codec, metadata: { 'containerd-namespace': 'k8s.io' } });
  const mountImage = async (image: string, directory: string) => {
    if (await isMountPoint(directory)) return;
    const [parent, snapshotter] = [await chainOf(images, image), await snapshotterOf(images)];
    const key = `coracle-image-volume${directory.replaceAll('/', '-')}`;
    const { mounts = [] } = await connection.call<{ mounts?: SnapshotMount[] }>(
      view,
      { snapshotter, key, parent },
      timeoutMs,
    );
    try {
      await mkdir(directory, { recursive: true, mode: 0o750 });
      for (const { type = '', source = '', options = [] } of mounts)
        await mount({
          source,
          target: directory,
          ...(type !== 'bind' && { fsType: type }),
          options: [...new Set([...options, 'ro', 'noexec'])],
        });
    } finally {
      await connection.call(remove, { snapshotter, key }, timeoutMs).catch(unlessCollected);
    }
  };
  return Object.assign(mountImage, { [Symbol.dispose]: () => connection[Symbol.dispose]() });
}

/** containerd collects views that nothing refers to: after a pull at once. */
function unlessCollected(error: unknown): void {
  if (!isCriError(error, 'NotFound')) throw error;
}

/** What containerd calls all layers of an image together. */
async function chainOf(images: ImageMountsOptions['images'], image: string): Promise<string> {
  const { info = {} } = await images.imageStatus({ image: { image }, verbose: true });
  const { chainID } = JSON.parse(info['info'] ?? '{}') as { readonly chainID?: string };
  if (!chainID) throw new Error(`the layers of image ${JSON.stringify(image)} are unknown`);
  return chainID;
}

const defaultSnapshotter = 'overlayfs';

/** The one that has the images; its folder is named after it. */
async function snapshotterOf(images: ImageMountsOptions['images']): Promise<string> {
  const { imageFilesystems = [] } = await images.imageFsInfo({});
  const [, name] = /io\.containerd\.snapshotter\.v1\.([^/]+)/.exec(imageFilesystems[0]?.fsId?.mountpoint ?? '') ?? [];
  return name ?? defaultSnapshotter;
}
