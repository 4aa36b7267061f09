import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Path of the bundle of `coracle-cni`: next to that of the command line, or the build directory. */
export function pluginBundle(): string {
  const places = ['./', '../', '../../../../apps/coracle/dist/'];
  const files = places.map((place) => fileURLToPath(new URL(`${place}coracle-cni.cjs`, import.meta.url)));
  const found = files.find((file) => existsSync(file));
  if (!found) throw new Error('the bundle of coracle-cni is missing: run npm run build');
  return found;
}
