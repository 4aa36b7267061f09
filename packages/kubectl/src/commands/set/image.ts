import { CommandError, withErrorPrefix } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { containersOf, mapContainers, withPodSpec } from '../../resources/pod-template.js';
import { type Fields, textAt } from '../../values.js';
import { noPodTemplate, updateObjects } from './update-objects.js';

export async function run(context: Context): Promise<void> {
  const { args, flags } = context;
  const resources = args.filter((arg) => !arg.includes('='));
  const images = args.filter((arg) => arg.includes('='));
  const hasFiles = flags.strings('filename').length > 0 || flags.string('kustomize') !== '';
  if (resources.length === 0 && !hasFiles)
    throw new CommandError('one or more resources must be specified as <resource> <name> or <resource>/<name>');
  if (images.length === 0 && !resources.slice(1).some((one) => resources[0]?.includes('/') && !one.includes('/')))
    throw new CommandError('at least one image update is required');
  const changes = new Map(images.map((text) => text.split(/=(.*)/s).slice(0, 2) as [string, string]));
  const failures: unknown[] = [];
  await updateObjects(context, {
    operation: 'image updated',
    find: { args: resources },
    failures,
    change: (object, info) => {
      // The containers that are there get their images, whatever else was named.
      const changed = withPodSpec(object, (spec) => {
        failures.push(...unknownContainers(spec, changes).map(withErrorPrefix));
        return withKnownImages(spec, changes);
      });
      if (!changed) throw noPodTemplate(info, object);
      return changed;
    },
  });
}

/** The pod spec with new images; `*` stands for all containers. A name that no container has is a failure. */
export function withImages(spec: Fields, changes: ReadonlyMap<string, string>): Fields {
  for (const failure of unknownContainers(spec, changes)) throw failure;
  return withKnownImages(spec, changes);
}

function unknownContainers(spec: Fields, changes: ReadonlyMap<string, string>): CommandError[] {
  const names = containersOf(spec).map((one) => textAt(one, 'name'));
  return [...changes.keys()]
    .filter((name) => name !== '*' && !names.includes(name))
    .map((name) => new CommandError(`unable to find container named ${JSON.stringify(name)}`));
}

function withKnownImages(spec: Fields, changes: ReadonlyMap<string, string>): Fields {
  return mapContainers(spec, (container) => {
    const image = changes.get(textAt(container, 'name')) ?? changes.get('*');
    return image === undefined ? container : { ...container, image };
  });
}
