import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { containersOf, mapContainers, withPodSpec } from '../../resources/pod-template.js';
import { type Fields, recordAt, textAt } from '../../values.js';
import { parseResourceList } from '../create/quota.js';
import { noPodTemplate, updateObjects } from './update-objects.js';

export async function run(context: Context): Promise<void> {
  const { flags } = context;
  const [limits, requests] = [flags.string('limits'), flags.string('requests')];
  if (limits === '' && requests === '')
    throw new CommandError('you must specify an update to requests or limits (in the form of --requests/--limits)');
  const update = { limits: parseResourceList(limits), requests: parseResourceList(requests) };
  const pattern = patternOf(flags.string('containers'));
  await updateObjects(context, {
    operation: 'resource requirements updated',
    failure: 'failed to patch resources update to pod template ',
    change: (object, info) => {
      const changed = withPodSpec(object, (spec) => {
        const isMeant = (container: Fields) => pattern.test(textAt(container, 'name'));
        if (!containersOf(spec).some(isMeant))
          throw new CommandError(`unable to find container named ${flags.string('containers')}`);
        return mapContainers(spec, (container) => (isMeant(container) ? withResources(container, update) : container));
      });
      if (!changed) throw noPodTemplate(info, object);
      return changed;
    },
  });
}

export function withResources(
  container: Fields,
  update: Record<'limits' | 'requests', Record<string, string>>,
): Fields {
  const before = recordAt(container, 'resources');
  const merged = (side: 'limits' | 'requests') => {
    const values = { ...recordAt(before, side), ...update[side] };
    return Object.keys(values).length > 0 ? { [side]: values } : {};
  };
  return { ...container, resources: { ...before, ...merged('limits'), ...merged('requests') } };
}

/** A name with stars for any letters. */
export function patternOf(glob: string): RegExp {
  return new RegExp(`^${glob.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replace(/\*/g, '.*')}$`);
}
