import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

/** One image of an archive, as `docker save` lays it out. */
interface ArchivedImage {
  readonly Config: string;
  readonly RepoTags: readonly string[];
  readonly Layers: readonly string[];
}

interface Content {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

const mediaTypes = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
};

const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const described = ({ mediaType, bytes }: Content) => ({ mediaType, digest: digestOf(bytes), size: bytes.length });

/** A registry of the images in an archive's folder, which can be pulled from it under any tag: `node FILE FOLDER PORT`. */
function contentsOf(folder: string): Map<string, Content> {
  const images: readonly ArchivedImage[] = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const contents = new Map<string, Content>();
  for (const { Config, RepoTags, Layers } of images) {
    const read = (mediaType: string, file: string): Content => ({ mediaType, bytes: readFileSync(join(folder, file)) });
    const config = read(mediaTypes.config, Config);
    const layers = Layers.map((file) => read(mediaTypes.layer, file));
    const text = JSON.stringify({
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: described(config),
      layers: layers.map(described),
    });
    const manifest = { mediaType: mediaTypes.manifest, bytes: Buffer.from(text) };
    for (const content of [config, ...layers, manifest]) contents.set(digestOf(content.bytes), content);
    for (const tag of RepoTags) contents.set(tag.slice(tag.indexOf('/') + 1), manifest);
  }
  return contents;
}

const [folder = '', port = '0'] = process.argv.slice(2);
const contents = contentsOf(folder);
const server = createServer(({ method, url = '' }, answer) => {
  const [, name = '', , reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/(.+)$/.exec(url) ?? [];
  const content = contents.get(reference) ?? contents.get(`${name}:${reference}`);
  if (!content) {
    answer.writeHead(url === '/v2/' ? 200 : 404).end();
    return;
  }
  const { mediaType, digest, size } = described(content);
  answer.writeHead(200, { 'content-type': mediaType, 'content-length': size, 'docker-content-digest': digest });
  answer.end(method === 'HEAD' ? undefined : content.bytes);
});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
