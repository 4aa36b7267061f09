/** The log files of containers. */
export interface LogFiles {
  /** Size in bytes; `undefined` if the file, or the target of a link, does not exist. */
  size(path: string): Promise<number | undefined>;
  /** File names in a directory; none if it does not exist. */
  list(folder: string): Promise<readonly string[]>;
  rename(from: string, to: string): Promise<void>;
  /** Replaces a file by its compressed form, named with the suffix `.gz`. */
  compress(path: string): Promise<void>;
  /** Creates or replaces a symbolic link, with its directory. Does nothing if the target is missing. */
  link(path: string, target: string): Promise<void>;
  /** The target of a symbolic link; `undefined` if it does not exist. */
  target(path: string): Promise<string | undefined>;
  /** Removes a file, a link, or a directory with its content. A missing one is no error. */
  remove(path: string): Promise<void>;
}
