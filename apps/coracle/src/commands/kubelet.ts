import { join, resolve } from 'node:path';
import { DisposableStack } from '@coracle/base';
import {
  bootstrapFromFile,
  defaultNodeName,
  hasNodeCertificate,
  rotateCertificate,
  runKubelet,
} from '@coracle/cluster';
import { systemClock } from '@coracle/platform-nodejs';
import { Command } from 'commander';
import { addKubeletFlags, type KubeletFlags, kubeletOptions } from '../flags/kubelet-flags.js';
import { untilSignal } from '../process/signals.js';

interface RunFlags extends KubeletFlags {
  readonly kubeconfig: string;
  readonly bootstrapKubeconfig?: string;
}

/** `coracle kubelet`: this machine as a node of a cluster somewhere. */
export function kubeletCommand(): Command {
  const command = new Command('kubelet')
    .description('run the kubelet of this machine against an API server')
    .requiredOption('--kubeconfig <file>', 'kubeconfig file with the credentials of the node')
    .option(
      '--bootstrap-kubeconfig <file>',
      'kubeconfig file to request a client certificate with, if there is no file of --kubeconfig yet, which is written then',
    );
  return addKubeletFlags(command).action(async (flags: RunFlags) => {
    const askedToEnd = untilSignal();
    const { rotateCertificates, ...options } = await kubeletOptions(flags);
    const { nodeName = defaultNodeName(), logger } = options;
    const { kubeconfig, bootstrapKubeconfig } = flags;
    const certDir = resolve(flags.certDir ?? join(flags.rootDir, 'pki'));
    const credentials = { kubeconfigFile: resolve(kubeconfig), certDir, nodeName };
    if (bootstrapKubeconfig)
      await bootstrapFromFile({ ...credentials, bootstrapKubeconfig, now: systemClock.now(), logger });
    await using parts = new DisposableStack();
    if (rotateCertificates && hasNodeCertificate(credentials))
      parts.use(rotateCertificate(credentials, { clock: systemClock, logger }));
    await using node = await runKubelet({ ...options, nodeName, kubeconfig });
    process.stdout.write(`coracle kubelet is running as node ${node.name} on ${node.runtimeVersion}\n`);
    await askedToEnd;
    await node.end();
  });
}
