import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';
import { labelSelectorOf } from './label-selector.js';

const resource: GeneratedResource = {
  group: 'policy',
  version: 'v1',
  resource: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
};

export async function generate(context: Context): Promise<Generated> {
  const { flags } = context;
  const name = requireName(context);
  const [minimum, maximum, selector] = [
    flags.string('min-available'),
    flags.string('max-unavailable'),
    flags.string('selector'),
  ];
  if (selector === '') throw new CommandError('a selector must be specified');
  if (minimum === '' && maximum === '')
    throw new CommandError('one of min-available or max-unavailable must be specified');
  if (minimum !== '' && maximum !== '')
    throw new CommandError('min-available and max-unavailable cannot be both specified');
  const object = {
    ...headOf(resource),
    metadata: { name },
    spec: {
      ...(minimum !== '' && { minAvailable: intOrPercent(minimum, 'min-available') }),
      selector: labelSelectorOf(selector),
      ...(maximum !== '' && { maxUnavailable: intOrPercent(maximum, 'max-unavailable') }),
    },
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  };
  return { resource, object, failure: 'failed to create poddisruptionbudgets: ' };
}

function intOrPercent(text: string, flag: string): number | string {
  if (/^\d+$/.test(text)) return Number(text);
  if (/^\d+%$/.test(text)) return text;
  throw new CommandError(`invalid format specified for ${flag}`);
}
