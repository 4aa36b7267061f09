import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Pod } from '@coracle/api';
import type { TestContainerd } from './containerd.js';
import type { RealNode } from './real-node.js';

/** Collects every version of some pods that a watch shows, from before they are made. */
export class PodVersions implements Disposable {
  readonly pods: Pod[] = [];
  readonly #stop: () => void;

  constructor(containerd: TestContainerd, node: RealNode, labelSelector: string) {
    const kubeconfig = join(node.dataDir, 'admin.kubeconfig');
    const args = ['--kubeconfig', kubeconfig, 'get', 'pods', '-l', labelSelector, '-w', '-o', 'json'];
    const child = spawn(...containerd.insideArguments('kubectl', args), { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#stop = () => child.kill();
    let rest = '';
    child.stdout.on('data', (chunk: Buffer) => {
      // kubectl writes each object over several lines, the last of them a brace alone.
      const parts = `${rest}${chunk}`.split(/^}\n/m);
      rest = parts.pop() ?? '';
      for (const part of parts) this.pods.push(JSON.parse(`${part}}`));
    });
  }

  of(name: string): Pod[] {
    return this.pods.filter(({ metadata }) => metadata.name === name);
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}
