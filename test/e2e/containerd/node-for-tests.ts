import { afterAll, beforeAll } from 'vitest';
import { type ContainerdOptions, TestContainerd } from './containerd.js';
import { RealNode } from './real-node.js';

/** A containerd, and `coracle up` with a node on it. */
export interface NodeForTests {
  readonly containerd: TestContainerd;
  readonly node: RealNode;
}

/** Starts them before the tests of the `describe` that this is called in, and ends them after. */
export function nodeForTests({
  limitMs = 300_000,
  flags = [],
  ...options
}: ContainerdOptions & { readonly limitMs?: number; readonly flags?: readonly string[] } = {}): NodeForTests {
  let containerd: TestContainerd | undefined;
  let node: RealNode | undefined;
  beforeAll(async () => {
    containerd = await TestContainerd.start(options);
    node = await RealNode.start(containerd, flags);
    await node.until('serviceaccount/default', '{.metadata.name}', /default/, limitMs);
  }, limitMs);
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
    await containerd?.[Symbol.asyncDispose]();
  }, limitMs);
  const running = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('it runs only while there are tests');
    return part;
  };
  return {
    get containerd() {
      return running(containerd);
    },
    get node() {
      return running(node);
    },
  };
}
