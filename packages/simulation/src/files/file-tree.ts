/** A file in a simulated file system. */
export interface TreeFile {
  readonly mode: number;
  readonly content: () => Uint8Array | Promise<Uint8Array>;
}

/** A file or directory. */
export type TreeEntry = { readonly kind: 'directory' } | ({ readonly kind: 'file' } & TreeFile);

const directory: TreeEntry = Object.freeze({ kind: 'directory' });

/** Files and folders in memory. Paths have no slash at their ends; the root is the empty path. */
export class FileTree {
  readonly #files = new Map<string, TreeFile>();
  readonly #directories = new Set<string>(['']);

  at(path: string): TreeEntry | undefined {
    const file = this.#files.get(path);
    if (file) return { kind: 'file', ...file };
    return this.#directories.has(path) ? directory : undefined;
  }

  /** The names in a folder, sorted. */
  list(path: string): string[] {
    const prefix = path === '' ? '' : `${path}/`;
    const names = new Set<string>();
    for (const each of [...this.#files.keys(), ...this.#directories])
      if (each !== '' && each.startsWith(prefix)) names.add(each.slice(prefix.length).split('/')[0] ?? '');
    names.delete('');
    return [...names].sort();
  }

  /** Creates missing parent directories. */
  write(path: string, file: TreeFile): void {
    this.makeDirectory(parentOf(path));
    this.#files.set(path, file);
  }

  makeDirectory(path: string): void {
    for (let each = path; each !== '' && !this.#directories.has(each); each = parentOf(each))
      this.#directories.add(each);
  }

  /** With everything below. */
  remove(path: string): void {
    const isBelow = (each: string) => each === path || each.startsWith(`${path}/`);
    for (const each of this.#files.keys()) if (isBelow(each)) this.#files.delete(each);
    for (const each of this.#directories) if (each !== '' && isBelow(each)) this.#directories.delete(each);
  }

  /** Total size; files whose content is computed on read count as empty. */
  get usage(): { readonly bytes: number; readonly inodes: number } {
    let bytes = 0;
    for (const { content } of this.#files.values()) {
      const now = content();
      if (now instanceof Uint8Array) bytes += now.length;
    }
    return { bytes, inodes: this.#files.size + this.#directories.size };
  }
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
