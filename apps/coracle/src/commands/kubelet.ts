import { runKubelet } from '@coracle/cluster';
import { Command } from 'commander';
import { addKubeletFlags, type KubeletFlags, kubeletOptions } from '../flags/kubelet-flags.js';
import { untilSignal } from '../process/signals.js';

/** `coracle kubelet`: this machine as a node of a cluster somewhere. */
export function kubeletCommand(): Command {
  const command = new Command('kubelet')
    .description('run the kubelet of this machine against an API server')
    .requiredOption('--kubeconfig <file>', 'kubeconfig file with the credentials of the node');
  return addKubeletFlags(command).action(async (flags: KubeletFlags & { readonly kubeconfig: string }) => {
    const askedToEnd = untilSignal();
    const options = await kubeletOptions(flags);
    await using node = await runKubelet({ ...options, kubeconfig: flags.kubeconfig });
    process.stdout.write(`coracle kubelet is running as node ${node.name} on ${node.runtimeVersion}\n`);
    await askedToEnd;
    await node.end();
  });
}
