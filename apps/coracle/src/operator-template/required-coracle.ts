import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { isRecord } from '@coracle/base';
import { version } from '../version.js';

const fileScheme = 'file:';

/**
 * What a project in this folder must require of the package `coracle`: the same as the nearest project around it that
 * requires it, which may be a package file, or else this version.
 */
export async function requiredCoracle(folder: string): Promise<string> {
  for (let above = dirname(folder); ; above = dirname(above)) {
    const required = await requirementIn(above);
    if (required?.startsWith(fileScheme))
      return fileScheme + relative(folder, resolve(above, required.slice(fileScheme.length)));
    if (required !== undefined) return required;
    if (above === dirname(above)) return `^${version}`;
  }
}

async function requirementIn(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
  const manifest = asRecord(JSON.parse(text));
  const { coracle } = { ...asRecord(manifest['devDependencies']), ...asRecord(manifest['dependencies']) };
  return typeof coracle === 'string' ? coracle : undefined;
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
