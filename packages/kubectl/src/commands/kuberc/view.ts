import { type Context, print } from '../../command/context.js';
import { directoryOf } from '../../paths.js';
import { formatPrinter } from '../../printers/print-flags.js';
import { readLine } from '../../resources/read-line.js';
import { filesOf } from '../../resources/read-manifests.js';
import { formatYaml } from '../../values.js';
import { emptyKuberc, kubercPath, readKuberc } from './kuberc-file.js';

/** Recommended defaults: applying on the server, and asking before anything is deleted. */
const recommended = {
  ...emptyKuberc,
  defaults: [
    { command: 'apply', options: [{ name: 'server-side', default: 'true' }] },
    { command: 'delete', options: [{ name: 'interactive', default: 'true' }] },
  ],
};

export async function run(context: Context): Promise<void> {
  const kuberc = await readKuberc(context);
  if (kuberc) {
    const printer = await formatPrinter(context, context.flags.string('output') || 'yaml', {});
    return print(context, printer.print(kuberc));
  }
  const path = kubercPath(context);
  print(
    context,
    `kuberc file not found at ${path}\nWould you like to generate a default kuberc file with recommended options? (y/N): `,
  );
  if ((await readLine(context.host)).trim().toLowerCase() !== 'y') return;
  const files = filesOf(context.host);
  await files.makeDirectory(directoryOf(path));
  await files.write(path, formatYaml(recommended), 0o600);
  print(context, formatYaml(recommended));
}
