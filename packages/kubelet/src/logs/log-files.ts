/** The files that containers write their logs to. */
export interface LogFiles {
  /** In bytes; `undefined` if there is no such file, or a link to one that is missing. */
  size(path: string): Promise<number | undefined>;
  /** Names in a folder; none if there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  rename(from: string, to: string): Promise<void>;
  /** Replaces a file by its compressed form, with `.gz` at the end of its name. */
  compress(path: string): Promise<void>;
  /** Makes a symbolic link, with its folder, or replaces one. Nothing happens if the target is missing. */
  link(path: string, target: string): Promise<void>;
  /** What a symbolic link points to; `undefined` if there is no such link. */
  target(path: string): Promise<string | undefined>;
  /** Removes a file, a link, or a directory with its content. A missing one is no error. */
  remove(path: string): Promise<void>;
}
