/** The files that containers write their logs to. */
export interface LogFiles {
  /** In bytes; `undefined` if there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** Names in a folder; none if there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  rename(from: string, to: string): Promise<void>;
  /** Replaces a file by its compressed form, with `.gz` at the end of its name. */
  compress(path: string): Promise<void>;
  /** Removes a file, or a directory with its content. A missing one is no error. */
  remove(path: string): Promise<void>;
}
