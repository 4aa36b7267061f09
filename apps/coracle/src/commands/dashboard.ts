import { loadConnection } from '@coracle/platform-nodejs';
import { Command, Option } from 'commander';
import { collect, parseAddress } from '../flags/flag-values.js';
import { untilSignal } from '../process/signals.js';

interface DashboardFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly login: 'link' | 'token';
  readonly hostName?: readonly string[];
}

/** `coracle dashboard`: the dashboard of any cluster, on this machine. */
export function dashboardCommand(): Command {
  return new Command('dashboard')
    .description('serve the dashboard of a cluster on this machine until SIGINT or SIGTERM')
    .option('--kubeconfig <file>', 'kubeconfig file (default: $KUBECONFIG or ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig')
    .addOption(
      new Option('--listen <host:port>', 'address of the dashboard; port 0 takes a free one')
        .argParser(parseAddress)
        .default({ host: '127.0.0.1', port: 0 }, '127.0.0.1:0'),
    )
    .addOption(
      new Option(
        '--login <how>',
        "link: a one-time link, with the credentials of the kubeconfig; token: every user's own bearer token",
      )
        .choices(['link', 'token'])
        .default('link'),
    )
    .option('--host-name <name>', 'name under which browsers reach it; may be repeated', collect)
    .addHelpText('after', '\nExample:\n  coracle dashboard --kubeconfig ~/.kube/config\n')
    .action(async ({ kubeconfig, context, listen, login, hostName }: DashboardFlags) => {
      if (login === 'link' && !isLoopback(listen.host))
        throw new Error(`a link lets in with your own credentials: on ${listen.host} use --login token`);
      const connection = await loadConnection({
        ...(kubeconfig && { path: kubeconfig }),
        ...(context && { overrides: { context } }),
      });
      const { serveDashboard } = await import('../dashboard/serve-dashboard.js');
      const interrupted = untilSignal();
      await using dashboard = await serveDashboard({
        ...listen,
        connection,
        login,
        ...(hostName && { names: hostName }),
      });
      process.stdout.write(`dashboard: ${login === 'link' ? dashboard.issueLink() : dashboard.url}\n`);
      await interrupted;
    });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
