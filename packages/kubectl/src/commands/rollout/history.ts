import { CommandError, throwCollected } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { podTemplateText } from '../../describe/pods.js';
import { typedName } from '../../printers/name-printer.js';
import { printerOf } from '../../printers/print-flags.js';
import { alignTabs } from '../../printers/tab-writer.js';
import type { Info } from '../../resources/info.js';
import { type Fields, recordAt, textAt } from '../../values.js';
import { causeAnnotation, type Revision, revisionsOf } from './revisions.js';
import { rolloutTargets } from './targets.js';

export async function run(context: Context): Promise<void> {
  const { flags } = context;
  const revision = flags.number('revision');
  if (revision < 0) throw new CommandError(`revision must be a positive integer: ${revision}`);
  const { infos, errors } = await rolloutTargets(context);
  throwCollected(errors);
  for (const info of infos) await showHistory(context, info, revision);
}

async function showHistory(context: Context, info: Info, revision: number): Promise<void> {
  const revisions = await revisionsOf(context, info);
  const chosen = revision > 0 ? revisions.filter(({ number }) => number === revision) : revisions;
  if (revision > 0 && chosen.length === 0) throw new CommandError('unable to find the specified revision');
  if (context.flags.string('output') !== '') {
    const printer = await printerOf(context);
    for (const { shown } of chosen) print(context, printer.print(shown));
    return;
  }
  const name = typedName(info.object ?? {});
  const [first] = chosen;
  if (revision > 0 && first) {
    print(context, `${name} with revision #${revision}\n${podTemplateText(shownTemplate(info.object ?? {}, first))}\n`);
    return;
  }
  if (revisions.length === 0) {
    print(context, `${name} \nNo rollout history found.\n`);
    return;
  }
  const lines = [
    'REVISION\tCHANGE-CAUSE',
    ...revisions.map(({ number, changeCause }) => `${number}\t${changeCause || '<none>'}`),
  ];
  print(context, `${name} \n${alignTabs(`${lines.join('\n')}\n`, { minWidth: 0, padding: 2 })}\n`);
}

/** The template of a revision; that of a Deployment's revision is shown with the cause of the change. */
function shownTemplate(workload: Fields, { template, changeCause }: Revision): Fields {
  if (textAt(workload, 'kind') !== 'Deployment' || changeCause === '') return template;
  const metadata = recordAt(template, 'metadata');
  const annotations = { ...recordAt(metadata, 'annotations'), [causeAnnotation]: changeCause };
  return { ...template, metadata: { ...metadata, annotations } };
}
