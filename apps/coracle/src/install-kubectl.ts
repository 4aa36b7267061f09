import { lstatSync, mkdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Makes a link `kubectl` in a directory to the program at `url`. A link is replaced, another program is not. */
export function installKubectl(directory: string | undefined, url: string): number {
  if (!directory) {
    process.stderr.write('error: --install needs a directory\n');
    return 1;
  }
  const link = join(directory, 'kubectl');
  try {
    mkdirSync(directory, { recursive: true });
    const before = lstatSync(link, { throwIfNoEntry: false });
    if (before && !before.isSymbolicLink()) {
      process.stderr.write(`error: ${link} exists and is not a link\n`);
      return 1;
    }
    if (before) unlinkSync(link);
    symlinkSync(fileURLToPath(url), link);
  } catch (error) {
    process.stderr.write(`error: ${(error as Error).message}\n`);
    return 1;
  }
  process.stdout.write(`${link} installed\n`);
  return 0;
}
