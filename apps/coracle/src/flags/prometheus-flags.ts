import { type ClusterOptions, readPrometheusRules } from '@coracle/cluster';
import { type Command, InvalidArgumentError } from 'commander';

export interface PrometheusFlags {
  readonly prometheusUrl?: string;
  readonly prometheusRules?: string;
}

export function addPrometheusFlags(command: Command): Command {
  return command
    .option(
      '--prometheus-url <url>',
      'URL of the Prometheus server that custom and external metrics come from',
      parseHttpUrl,
    )
    .option('--prometheus-rules <file>', 'metric rules file, in the format of prometheus-adapter');
}

export async function prometheusOptions({
  prometheusUrl: url,
  prometheusRules: rules,
}: PrometheusFlags): Promise<Pick<ClusterOptions, 'prometheus'>> {
  if (url === undefined && rules === undefined) return {};
  if (url === undefined || rules === undefined)
    throw new Error('--prometheus-url and --prometheus-rules must be given together');
  return { prometheus: { url, rules: await readPrometheusRules(rules) } };
}

function parseHttpUrl(text: string): string {
  const { protocol } = URL.canParse(text) ? new URL(text) : { protocol: '' };
  if (protocol === 'http:' || protocol === 'https:') return text;
  throw new InvalidArgumentError('must be a URL such as http://localhost:9090');
}
