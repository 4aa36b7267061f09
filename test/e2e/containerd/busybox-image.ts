import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../run.js';

/** An image made from the machine's static busybox. */
export interface TestImage {
  /** As pods name it. */
  readonly name: string;
  readonly command?: readonly string[];
  readonly user?: string;
  /** The rest of its configuration: `Entrypoint`, `WorkingDir`, `Volumes`. */
  readonly config?: Readonly<Record<string, unknown>>;
}

const passwd = 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n';
const group = 'root:x:0:\nnobody:x:65534:\n';

/** Writes an archive that `ctr images import` reads, with all `images` on one layer, and returns its path. */
export async function writeImageArchive(folder: string, images: readonly TestImage[]): Promise<string> {
  const archive = join(folder, 'archive');
  const root = join(folder, 'root');
  await mkdir(archive, { recursive: true });
  await writeRoot(root);
  const layer = join(archive, 'layer.tar');
  await must('tar', ['--owner=0', '--group=0', '--mtime=@0', '--sort=name', '-C', root, '-cf', layer, '.']);
  const digest = (await must('sha256sum', [layer])).split(' ')[0] ?? '';
  const manifest = await Promise.all(images.map((image) => writeConfig(archive, image, digest)));
  await writeFile(join(archive, 'manifest.json'), JSON.stringify(manifest));
  const file = join(folder, 'images.tar');
  await must('tar', ['-C', archive, '-cf', file, '.']);
  return file;
}

async function writeRoot(root: string): Promise<void> {
  const folders = ['bin', 'etc', 'tmp', 'root', 'proc', 'sys', 'dev', 'var', 'home', 'mnt'];
  for (const name of folders) await mkdir(join(root, name), { recursive: true });
  await chmod(join(root, 'tmp'), 0o1777);
  const binary = join(root, 'bin', 'busybox');
  await copyFile('/bin/busybox', binary);
  await chmod(binary, 0o755);
  const applets = (await must(binary, ['--list'])).split('\n').filter((name) => name !== '' && name !== 'busybox');
  for (const name of applets) await symlink('busybox', join(root, 'bin', name));
  await writeFile(join(root, 'etc', 'passwd'), passwd);
  await writeFile(join(root, 'etc', 'group'), group);
}

async function writeConfig(archive: string, { name, command, user, config: more }: TestImage, layerDigest: string) {
  const config = JSON.stringify({
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    created: '2024-01-01T00:00:00Z',
    config: { Env: ['PATH=/bin'], Cmd: command ?? ['sh'], ...(user && { User: user }), Labels: { name }, ...more },
    rootfs: { type: 'layers', diff_ids: [`sha256:${layerDigest}`] },
  });
  const file = `${createHash('sha256').update(config).digest('hex')}.json`;
  await writeFile(join(archive, file), config);
  return { Config: file, RepoTags: [name], Layers: ['layer.tar'] };
}

async function must(command: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}
