import type { Mount } from '@coracle/cri';
import { FileTree, parentOf, type TreeEntry, type TreeFile } from './file-tree.js';
import type { SimulatedDisk, SimulatedVolume } from './simulated-disk.js';

/** Why a file operation fails, with the system's message. */
export class ContainerFileError extends Error {
  override readonly name: string = 'ContainerFileError';
}

const noSuchFile = 'No such file or directory';
const readOnly = 'Read-only file system';

/** What every container has, whatever its image. */
const folders = ['bin', 'dev', 'etc', 'home', 'root', 'tmp', 'usr/bin', 'var/log', 'var/run'];

interface Place {
  readonly volume: SimulatedVolume;
  /** Below the volume. */
  readonly path: string;
  readonly readonly: boolean;
}

export interface ContainerFilesOptions {
  readonly disk: SimulatedDisk;
  readonly mounts: readonly Mount[];
  readonly readonlyRoot: boolean;
  readonly hostname: string;
  /** `/etc/hosts`. */
  readonly hosts?: () => string;
}

/** The file system of a container: a layer of its own, and the volumes of its pod at their mount points. */
export class ContainerFiles {
  readonly #disk: SimulatedDisk;
  /** The longest paths first, which is how a path finds its mount. */
  readonly #mounts: readonly { readonly at: string; readonly mount: Mount }[];
  readonly #readonlyRoot: boolean;
  readonly #hostname: string;
  readonly #hosts: (() => string) | undefined;
  #ownLayer: SimulatedVolume | undefined;

  constructor({ disk, mounts, readonlyRoot, hostname, hosts }: ContainerFilesOptions) {
    this.#disk = disk;
    this.#readonlyRoot = readonlyRoot;
    this.#mounts = mounts
      .map((mount) => ({ at: normalized(mount.containerPath ?? ''), mount }))
      .sort((a, b) => b.at.length - a.at.length);
    this.#hostname = hostname;
    this.#hosts = hosts;
  }

  /** Made when it is needed: most containers touch no file. */
  get #layer(): SimulatedVolume {
    if (this.#ownLayer) return this.#ownLayer;
    const tree = new FileTree();
    for (const folder of folders) tree.makeDirectory(folder);
    for (const { at } of this.#mounts) tree.makeDirectory(at);
    tree.write('etc/hostname', textFile(`${this.#hostname}\n`));
    if (this.#hosts) tree.write('etc/hosts', textFile(this.#hosts()));
    this.#ownLayer = { kind: 'own', tree };
    return this.#ownLayer;
  }

  at(path: string): TreeEntry | undefined {
    const { volume, path: below } = this.#find(path);
    if (volume.kind === 'own') return volume.tree.at(below);
    const file = volume.files.get(below);
    if (file) return { kind: 'file', ...file };
    const isFolder = below === '' || [...volume.files.keys()].some((each) => each.startsWith(`${below}/`));
    return isFolder ? { kind: 'directory' } : undefined;
  }

  async read(path: string): Promise<Uint8Array> {
    const entry = this.at(path);
    if (!entry) throw new ContainerFileError(noSuchFile);
    if (entry.kind === 'directory') throw new ContainerFileError('Is a directory');
    return entry.content();
  }

  /** How long a file is; 0 for one that is not there, or is made when it is read. */
  sizeOf(path: string): number {
    const entry = this.at(path);
    const content = entry?.kind === 'file' ? entry.content() : undefined;
    return content instanceof Uint8Array ? content.length : 0;
  }

  /** The names in a folder, sorted. */
  list(path: string): string[] {
    const entry = this.at(path);
    if (!entry) throw new ContainerFileError(noSuchFile);
    if (entry.kind === 'file') throw new ContainerFileError('Not a directory');
    const { volume, path: below } = this.#find(path);
    if (volume.kind === 'own') return volume.tree.list(below);
    const prefix = below === '' ? '' : `${below}/`;
    const inside = [...volume.files.keys()].filter((each) => each.startsWith(prefix));
    return [...new Set(inside.map((each) => each.slice(prefix.length).split('/')[0] ?? ''))].sort();
  }

  /** Its target folder must exist. */
  write(path: string, file: TreeFile): void {
    if (this.at(parentOf(normalized(path)))?.kind !== 'directory') throw new ContainerFileError(noSuchFile);
    if (this.at(path)?.kind === 'directory') throw new ContainerFileError('Is a directory');
    const { tree, below } = this.#writable(path);
    tree.write(below, file);
  }

  /** Includes its parent directories. */
  makeDirectory(path: string): void {
    if (this.at(path)?.kind === 'directory') return;
    if (this.at(path)) throw new ContainerFileError('File exists');
    const { tree, below } = this.#writable(path);
    tree.makeDirectory(below);
  }

  /** With everything below. */
  remove(path: string): void {
    if (!this.at(path)) throw new ContainerFileError(noSuchFile);
    const { tree, below } = this.#writable(path);
    if (below === '') throw new ContainerFileError('Device or resource busy');
    tree.remove(below);
  }

  /** Size of the container's own layer. */
  get layerBytes(): number {
    return this.#ownLayer?.kind === 'own' ? this.#ownLayer.tree.usage.bytes : 0;
  }

  #writable(path: string): { readonly tree: FileTree; readonly below: string } {
    const { volume, path: below, readonly } = this.#find(path);
    if (readonly || volume.kind === 'given') throw new ContainerFileError(readOnly);
    return { tree: volume.tree, below };
  }

  #find(path: string): Place {
    const whole = normalized(path);
    const found = this.#mounts.find(({ at }) => whole === at || whole.startsWith(`${at}/`));
    if (!found) return { volume: this.#layer, path: whole, readonly: this.#readonlyRoot };
    const rest = whole === found.at ? '' : whole.slice(found.at.length + 1);
    return { ...this.#inVolume(found.mount.hostPath ?? '', rest), readonly: found.mount.readonly ?? false };
  }

  /** A mount may be of a part of a volume: the directory of the volume ends with its name. */
  #inVolume(hostPath: string, rest: string): Pick<Place, 'volume' | 'path'> {
    const [, directory = hostPath, subPath = ''] = volumePath.exec(hostPath) ?? [];
    const path = [subPath, rest].filter((part) => part !== '').join('/');
    return { volume: this.#disk.volumeIn(directory), path };
  }
}

/** The directory of a volume of a pod, and what is below it. */
const volumePath = /^(\/var\/lib\/kubelet\/pods\/[^/]+\/volumes\/[^/]+\/[^/]+)(?:\/(.*))?$/;

/** Without slashes at its ends, and without `.` and `..`. */
export function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

export function textFile(text: string, mode = 0o644): TreeFile {
  return bytesFile(new TextEncoder().encode(text), mode);
}

export function bytesFile(bytes: Uint8Array, mode = 0o644): TreeFile {
  return { mode, content: () => bytes };
}
