import { ContainerFileError, type ContainerFiles } from '../files/container-files.js';
import { patternOf } from '../shell/pattern.js';

/** The paths of files that match a pattern with slashes, sorted. */
export function filesLike(pattern: string, files: ContainerFiles): string[] {
  let paths = [pattern.startsWith('/') ? '/' : ''];
  for (const part of pattern.split('/').filter((each) => each !== '')) {
    const like = patternOf([{ text: part, quoted: false }], '[^/]');
    paths = paths.flatMap((path) =>
      namesIn(path, files)
        .filter((name) => like.test(name) && (part.startsWith('.') || !name.startsWith('.')))
        .map((name) => (path === '' || path.endsWith('/') ? `${path}${name}` : `${path}/${name}`)),
    );
  }
  return paths;
}

function namesIn(path: string, files: ContainerFiles): string[] {
  try {
    return files.list(path);
  } catch (error) {
    if (error instanceof ContainerFileError) return [];
    throw error;
  }
}
