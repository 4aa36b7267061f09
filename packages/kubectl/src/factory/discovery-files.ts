import type { DiscoveryFiles } from '@coracle/client';
import type { Files } from '../host.js';

/** The discovery cache on disk, in the place and form of kubectl's own: `cache/discovery/host_port/…`. */
export function discoveryFilesIn(
  files: Files,
  { folder, server }: { readonly folder: string; readonly server: string },
): DiscoveryFiles {
  const host = server.replace(/^https?:\/\//, '').replace(/[^(\w/.)]/g, '_');
  const root = `${folder}/discovery/${host}`;
  return {
    async read(name) {
      try {
        const path = `${root}/${name}`;
        const [bytes, { modifiedAt }] = await Promise.all([files.read(path), files.stat(path)]);
        return { text: new TextDecoder().decode(bytes), modifiedAt };
      } catch {
        return undefined;
      }
    },
    async write(name, text) {
      try {
        const path = `${root}/${name}`;
        await files.makeDirectory(path.slice(0, path.lastIndexOf('/')));
        await files.write(path, text, 0o660);
      } catch {
        // A cache that cannot be written costs speed, no more.
      }
    },
  };
}
