import { readJson } from '@coracle/apimachinery';
import { throwCollected } from '../../command/command-error.js';
import { type Context, print, usageError } from '../../command/context.js';
import { findOptions } from '../../resources/common-flags.js';
import { findResources } from '../../resources/find-resources.js';
import { lastAppliedOf } from '../../resources/last-applied.js';
import { formatYaml, goJson } from '../../values.js';

export async function run(context: Context): Promise<void> {
  const output = context.flags.string('output') || 'yaml';
  if (output !== 'yaml' && output !== 'json')
    throw usageError(context, `Unexpected -o output mode: ${output}, the flag 'output' must be one of yaml|json`);
  const { infos, errors } = await findResources(context.factory, await findOptions(context, { latest: true }));
  throwCollected(errors);
  for (const { object = {} } of infos) {
    const text = lastAppliedOf(object);
    if (text === undefined) continue;
    const applied: unknown = readJson(text);
    print(context, output === 'json' ? `${goJson(applied, 2)}\n` : formatYaml(applied));
  }
}
