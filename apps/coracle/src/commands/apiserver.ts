import { Command } from 'commander';
import { groupFlags } from '../flags/flag-sections.js';
import { flagTexts } from '../flags/flag-texts.js';
import { parsePort } from '../flags/flag-values.js';
import { checkPemFiles } from '../flags/pem-files.js';
import { addServerFlags, clusterOptions, kubeconfigFile, type ServerFlags } from '../flags/server-flags.js';
import { runCluster } from '../run-cluster.js';
import { kubernetesVersion } from '../version.js';

interface ApiServerFlags extends ServerFlags {
  readonly bindAddress: string;
  readonly securePort: number;
}

/** `coracle apiserver`: only the API server, like kube-apiserver: without scheduler and controllers. */
export function apiserverCommand(): Command {
  const command = new Command('apiserver').description(
    'run the API server alone, without controllers, scheduler and nodes',
  );
  addServerFlags(command)
    .version(`Kubernetes ${kubernetesVersion}`, '--version', 'print the version and exit')
    .option('--bind-address <address>', 'IP address to listen on', '0.0.0.0')
    .option('--secure-port <port>', 'port to serve HTTPS on; 0 takes a free one', parsePort, 6443)
    .action(async (flags: ApiServerFlags, command: Command) => {
      const options = { ...(await clusterOptions(flags)), flags: flagTexts(command) };
      await checkPemFiles(flags);
      const listen = { host: flags.bindAddress, port: flags.securePort };
      await runCluster(
        { ...options, listen, nodes: 0, components: { controllers: false, scheduler: false } },
        kubeconfigFile(flags),
      );
    });
  return groupFlags(command);
}
