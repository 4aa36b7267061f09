import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  bootstrapNode,
  credentialsIn,
  defaultNodeName,
  discoverCa,
  rotateCertificate,
  runKubelet,
} from '@coracle/cluster';
import { systemClock } from '@coracle/platform-nodejs';
import { Command } from 'commander';
import { collect } from '../flags/flag-values.js';
import { addKubeletFlags, type KubeletFlags, kubeletOptions } from '../flags/kubelet-flags.js';
import { untilSignal } from '../process/signals.js';

interface JoinFlags extends KubeletFlags {
  readonly server: string;
  readonly token: string;
  readonly caCertHash?: readonly string[];
}

/** `coracle join`: this machine becomes a node of a cluster. */
export function joinCommand(): Command {
  const command = new Command('join')
    .description('make this machine a node of a cluster; coracle token create prints the command')
    .requiredOption('--server <url>', 'URL of the API server')
    .requiredOption('--token <token>', 'bootstrap token of the cluster')
    .option(
      '--ca-cert-hash <hash>',
      "hash of the CA's public key, as sha256:…; may be repeated (default: any)",
      collect,
    );
  return addKubeletFlags(command).action(async (flags: JoinFlags) => {
    const askedToEnd = untilSignal();
    const options = await kubeletOptions(flags);
    const nodeName = options.nodeName ?? defaultNodeName();
    const credentials = credentialsIn(resolve(flags.rootDir));
    const { logger } = options;
    // A machine that has joined before continues with what it got then.
    if (!existsSync(credentials.kubeconfigFile)) {
      const { server, token, caCertHash = [] } = flags;
      const caCertificate = await discoverCa(server, caCertHash, logger);
      await bootstrapNode({ ...credentials, nodeName, server, caCertificate, token, logger });
    }
    using _rotation = rotateCertificate({ ...credentials, nodeName }, { clock: systemClock, logger });
    await using node = await runKubelet({ ...options, nodeName, kubeconfig: credentials.kubeconfigFile });
    process.stdout.write(`this machine has joined as node ${node.name} on ${node.runtimeVersion}\n`);
    await askedToEnd;
    await node.end();
  });
}
