import { TestContainerd } from './containerd.js';

/** Starts a containerd for manual tests, and prints how to reach it. Ends with SIGINT or SIGTERM. */
const containerd = await TestContainerd.start({ plainRegistries: ['127.0.0.1:5000'] });
process.stdout.write(
  `${JSON.stringify({ endpoint: containerd.endpoint, netns: containerd.netns, cgroupRoot: containerd.cgroupRoot, folder: containerd.folder })}\n`,
);
await new Promise<void>((resolve) => {
  process.once('SIGINT', () => resolve());
  process.once('SIGTERM', () => resolve());
  setInterval(() => undefined, 60_000);
});
await containerd[Symbol.asyncDispose]();
process.exit(0);
