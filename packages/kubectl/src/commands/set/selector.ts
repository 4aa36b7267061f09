import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { recordAt, textAt } from '../../values.js';
import { labelSelectorOf, type MatchExpression } from '../create/label-selector.js';
import { updateObjects } from './update-objects.js';

export async function run(context: Context): Promise<void> {
  const { args, flags } = context;
  const hasFiles = flags.strings('filename').length > 0;
  const text = args.at(-1) ?? '';
  if (args.length === 0) throw new CommandError('no selector specified');
  const resources = args.slice(0, -1);
  if (resources.length === 0 && !hasFiles)
    throw new CommandError('one or more resources must be specified as <resource> <name> or <resource>/<name>');
  const { matchLabels = {}, matchExpressions } = labelSelectorOf(text);
  await updateObjects(context, {
    operation: 'selector updated',
    sendsAlways: true,
    find: { args: resources },
    change: (object) => {
      if (textAt(object, 'kind') !== 'Service')
        throw new CommandError('setting a selector is only supported for Services');
      if (matchExpressions)
        throw new CommandError(`match expression ${expressionsText(matchExpressions)} not supported on this object`);
      const version = flags.string('resource-version');
      const metadata =
        version === '' ? {} : { metadata: { ...recordAt(object, 'metadata'), resourceVersion: version } };
      return { ...object, ...metadata, spec: { ...recordAt(object, 'spec'), selector: matchLabels } };
    },
  });
}

/** As Go prints them: `[{app In [web dns]}]`. */
function expressionsText(expressions: readonly MatchExpression[]): string {
  const texts = expressions.map(({ key, operator, values = [] }) => `{${key} ${operator} [${values.join(' ')}]}`);
  return `[${texts.join(' ')}]`;
}
