import { createClient } from '@coracle/client';
import { createHttpTransport, createStderrLogger, loadConnection } from '@coracle/platform-nodejs';
import { Command } from 'commander';
import { formatTrace, type Trace } from '../printing/format-trace.js';

interface TraceFlags {
  readonly kubeconfig?: string;
  readonly namespace: string;
}

/** `coracle trace pod NAME`: the steps of a pod, from the request to Running. */
export function traceCommand(): Command {
  return new Command('trace')
    .description('print the steps of a pod with their times, from the create request to Running')
    .argument('<kind>', 'kind of the object: pod')
    .argument('<name>', 'name of the pod')
    .option('-n, --namespace <namespace>', 'namespace of the pod', 'default')
    .option('--kubeconfig <file>', 'kubeconfig file (default: $KUBECONFIG or ~/.kube/config)')
    .addHelpText('after', '\nExample:\n  coracle trace pod web-7957885594-6vpvw\n')
    .action(async (kind: string, name: string, flags: TraceFlags) => {
      if (!/^(po|pods?)$/.test(kind)) throw new Error(`only pods are traced, not ${kind}`);
      const trace = await fetchTrace(`pods/${flags.namespace}/${name}`, flags);
      process.stdout.write(formatTrace(trace));
    });
}

async function fetchTrace(subject: string, { kubeconfig }: TraceFlags): Promise<Trace> {
  const connection = await loadConnection(kubeconfig ? { path: kubeconfig } : {});
  using transport = await createHttpTransport({ connection, logger: createStderrLogger({ level: 'error' }) });
  const client = createClient({ transport, userAgent: 'coracle-trace' });
  const path = `/debug/coracle/trace?subject=${encodeURIComponent(subject)}`;
  const { status, body } = await client.raw('GET', path);
  if (status !== 200) throw new Error(`the server has no traces: ${(body as { message?: string }).message ?? status}`);
  return body as Trace;
}
