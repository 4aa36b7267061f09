import { createClient } from '@coracle/client';
import { createHttpTransport, createStderrLogger, loadConnection } from '@coracle/platform-nodejs';
import { Command } from 'commander';
import { formatWhy, type PodExplanation } from '../format-why.js';

interface WhyFlags {
  readonly kubeconfig?: string;
  readonly namespace: string;
}

/** `coracle why pod NAME`: what the scheduler says of a pod, node by node, and what would help. */
export function whyCommand(): Command {
  return new Command('why')
    .description('print why a pod is not scheduled, or why it is where it is, and what would let it run')
    .argument('<kind>', 'pod')
    .argument('<name>', 'name of the pod')
    .option('-n, --namespace <namespace>', 'namespace of the pod', 'default')
    .option('--kubeconfig <file>', 'kubeconfig file (default: $KUBECONFIG or ~/.kube/config)')
    .addHelpText('after', '\nExample:\n  coracle why pod web-7957885594-6vpvw\n')
    .action(async (kind: string, name: string, flags: WhyFlags) => {
      if (!/^(po|pods?)$/.test(kind)) throw new Error(`only pods are explained, not ${kind}`);
      process.stdout.write(formatWhy(await fetchExplanation(`${flags.namespace}/${name}`, flags)));
    });
}

async function fetchExplanation(pod: string, { kubeconfig }: WhyFlags): Promise<PodExplanation> {
  const connection = await loadConnection(kubeconfig ? { path: kubeconfig } : {});
  using transport = await createHttpTransport({ connection, logger: createStderrLogger({ level: 'error' }) });
  const client = createClient({ transport, userAgent: 'coracle-why' });
  const { status, body } = await client.raw('GET', `/debug/coracle/why?pod=${encodeURIComponent(pod)}`);
  if (status !== 200) throw new Error((body as { message?: string }).message ?? `HTTP ${status}`);
  return body as PodExplanation;
}
