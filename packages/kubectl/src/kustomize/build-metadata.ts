import { CommandError } from '../command/command-error.js';
import { type Fields, formatYaml, recordAt, stringMapAt, textsAt } from '../values.js';
import { kustomizeVersion } from '../version.js';
import type { KustomizeResource } from './resource.js';
import { addPairs } from './transformers.js';

const options = ['managedByLabel', 'originAnnotations', 'transformerAnnotations'];

/** The annotations of `buildMetadata`: the origin of objects, and the transformers that changed them. */
export function addBuildMetadata(resources: readonly KustomizeResource[], config: Fields): void {
  const requested = textsAt(config, 'buildMetadata');
  const unknown = requested.find((one) => !options.includes(one));
  if (unknown !== undefined)
    throw new CommandError(
      `invalid buildMetadata option ${JSON.stringify(unknown)}; must be one of [${options.join(', ')}]`,
    );
  if (requested.includes('managedByLabel'))
    addPairs(resources, [{ path: 'metadata/labels', create: true }], {
      'app.kubernetes.io/managed-by': `kustomize-${kustomizeVersion}`,
    });
  if (requested.includes('originAnnotations')) annotateOrigins(resources);
  if (requested.includes('transformerAnnotations'))
    throw new CommandError('buildMetadata: transformerAnnotations are not supported');
}

function annotateOrigins(resources: readonly KustomizeResource[]): void {
  for (const resource of resources) {
    if (!resource.origin) continue;
    const annotations = {
      ...stringMapAt(resource.object, 'metadata', 'annotations'),
      'config.kubernetes.io/origin': formatYaml(resource.origin),
    };
    resource.object = { ...resource.object, metadata: { ...recordAt(resource.object, 'metadata'), annotations } };
  }
}
