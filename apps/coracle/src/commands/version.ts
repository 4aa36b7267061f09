import { Command } from 'commander';
import { kubernetesVersion, version } from '../version.js';

export const versionLine = `coracle ${version} (Kubernetes ${kubernetesVersion}, Node.js ${process.version})`;

export function versionCommand(): Command {
  return new Command('version')
    .description('print the version of Coracle and of the Kubernetes API that it serves')
    .option('-o, --output <format>', 'output format: json (default: one line of text)')
    .action(({ output }: { output?: string }) => {
      const versions = { coracle: version, kubernetes: kubernetesVersion, node: process.version };
      process.stdout.write(`${output === 'json' ? JSON.stringify(versions) : versionLine}\n`);
    });
}
