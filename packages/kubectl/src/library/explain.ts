import { CommandError } from '../command/command-error.js';
import { resolveRequest } from '../commands/explain.js';
import { exampleOf } from '../explain/example.js';
import { explainSchema } from '../explain/explain-schema.js';
import { openApiSchemas } from '../explain/openapi-schemas.js';
import type { Session } from './session.js';

export interface ExplainOptions {
  readonly apiVersion?: string;
  readonly recursive?: boolean;
}

/** The description of a resource or of one of its fields: `deployments.spec.strategy`. */
export async function explain(session: Session, path: string, options: ExplainOptions = {}): Promise<string> {
  const { factory } = session.context;
  const { mapping, path: fields } = await resolveRequest(factory, path, options.apiVersion ?? '');
  const schemas = await openApiSchemas(await factory.client(), mapping);
  const { recursive = false } = options;
  const { text, missing } = explainSchema(schemas, { mapping, path: fields, recursive, older: false });
  if (missing !== undefined) throw new CommandError(`field ${JSON.stringify(missing)} does not exist`);
  return text;
}

/** A manifest of a resource to start from, as YAML. */
export async function exampleManifest(session: Session, path: string): Promise<string> {
  const { factory } = session.context;
  const { mapping, path: fields } = await resolveRequest(factory, path, '');
  return exampleOf(await openApiSchemas(await factory.client(), mapping), mapping, fields);
}
