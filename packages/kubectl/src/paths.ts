/** The path without its last part; `.` if there is none. */
export function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/');
  if (slash < 0) return '.';
  return slash === 0 ? '/' : path.slice(0, slash);
}

export function baseName(path: string): string {
  return path.replace(/\/+$/, '').split('/').at(-1) ?? '';
}

/** The path without `.`, `..` and doubled slashes. */
export function cleanPath(path: string): string {
  const rooted = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '..' || !rooted) parts.push(part);
  }
  return (rooted ? '/' : '') + parts.join('/') || (rooted ? '/' : '.');
}

export function joinPath(...parts: readonly string[]): string {
  return cleanPath(parts.filter((part) => part !== '').join('/'));
}

/** `path` as seen from `folder`. */
export function resolvePath(folder: string, path: string): string {
  return path.startsWith('/') ? cleanPath(path) : joinPath(folder, path);
}

/** The way from one folder to a path. */
export function relativePath(from: string, to: string): string {
  const a = cleanPath(from).split('/').filter(Boolean);
  const b = cleanPath(to).split('/').filter(Boolean);
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('/') || '.';
}
