import { type FieldError, FieldPath, invalidField, type KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { clientMetadata } from '../keep-metadata.js';
import type { Strategy } from '../strategy.js';
import type { WantedObject } from '../wanted-object.js';
import { flowSchemas, priorityLevels } from './flow-control-objects.js';

interface WithSpec extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** The mandatory objects: for exempt requests, and for requests that nothing else matches. */
const mandatoryNames: ReadonlySet<string> = new Set(['exempt', 'catch-all']);

/** Their specs are immutable, except for the lendable seats of the exempt level. */
function checkMandatory({ metadata, spec = {} }: WithSpec, mandatoryObjects: readonly WantedObject[]): FieldError[] {
  const { name = '' } = metadata;
  const mandatory = mandatoryNames.has(name) && mandatoryObjects.find(({ object }) => object.metadata.name === name);
  if (!mandatory) return [];
  const { spec: fixed = {} } = mandatory.object as WithSpec;
  const mayLend = 'exempt' in fixed;
  const same = deepEqual(mayLend ? withoutExempt(spec) : spec, mayLend ? withoutExempt(fixed) : fixed);
  if (same) return [];
  const except = mayLend ? " except the 'spec.exempt' field" : '';
  return [invalidField(FieldPath.of('spec'), spec, `spec of '${name}'${except} must equal the fixed value`)];
}

function withoutExempt({ exempt: _, ...spec }: Readonly<Record<string, unknown>>): object {
  return spec;
}

function strategyFor(mandatoryObjects: readonly WantedObject[]): Strategy<WithSpec> {
  const check = (object: WithSpec) => checkMandatory(object, mandatoryObjects);
  return { hasGeneration: true, statusKeeps: clientMetadata, validateCreate: check, validateUpdate: check };
}

export const flowSchemaStrategy = strategyFor(flowSchemas);
export const priorityLevelStrategy = strategyFor(priorityLevels);
