import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type CriClient, createCriClient } from '@coracle/platform-nodejs';
import { describeRuntime } from '@coracle/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { bundle } from '../bundle.js';
import { TestContainerd, whyNoContainerd } from './containerd.js';

const whyNot = whyNoContainerd();
const registry = '127.0.0.1:5000';

describe.skipIf(whyNot)(`CRI on containerd${whyNot ? `: ${whyNot}` : ''}`, () => {
  let containerd: TestContainerd;
  let client: CriClient;
  let serving: ChildProcess | undefined;
  beforeAll(async () => {
    containerd = await TestContainerd.start({ plainRegistries: [registry] });
    serving = await serveImages(containerd);
    client = createCriClient({ endpoint: containerd.endpoint });
  }, 180_000);
  afterAll(async () => {
    client?.[Symbol.dispose]();
    serving?.kill();
    await containerd?.[Symbol.asyncDispose]();
  }, 120_000);

  describeRuntime('containerd over gRPC', async () => ({
    runtime: client.runtime,
    images: client.images,
    image: `${registry}/coracle/busybox:1`,
    command: ['sleep', '2147483647'],
    sandbox: { linux: { cgroupParent: containerd.cgroupRoot } },
    settle: async () => undefined,
    [Symbol.asyncDispose]: () => containerd.removePods(),
  }));
});

/** A registry with the images that containerd has imported, in its network namespace. */
async function serveImages(containerd: TestContainerd): Promise<ChildProcess> {
  const program = bundle(new URL('image-registry.ts', import.meta.url));
  const folder = join(containerd.folder, 'images', 'archive');
  const [command, args] = containerd.insideArguments(process.execPath, [program, folder, '5000']);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the registry ended before it listened');
  });
  await Promise.race([once(child.stdout, 'data'), ended]);
  return child;
}
