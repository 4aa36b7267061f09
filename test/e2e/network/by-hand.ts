import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { busybox } from '../containerd/containerd.js';
import { NetworkNode } from './network-node.js';

/**
 * Starts a real node, runs the command of the arguments on it (a shell if there are none) with `KUBECONFIG` and `IMAGE`
 * set, removes everything, and ends with the exit code of the command.
 */
const [command = 'sh', ...args] = process.argv.slice(2);
const node = await NetworkNode.make();
try {
  const child = spawn(...node.containerd.insideArguments(command, args), {
    stdio: 'inherit',
    env: { ...process.env, KUBECONFIG: node.kubeconfig, IMAGE: busybox },
  });
  const [code] = await once(child, 'exit');
  process.exitCode = typeof code === 'number' ? code : 1;
} finally {
  await node.stop('SIGTERM');
  await node[Symbol.asyncDispose]();
}
process.exit();
