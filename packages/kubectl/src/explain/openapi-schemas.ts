import type { ResourceInfo } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';
import { CommandError } from '../command/command-error.js';
import { RequestHelper } from '../resources/request-helper.js';
import { type Fields, isRecord, recordAt, recordsAt, textAt } from '../values.js';

/** The schemas of a group and version, with the one of a kind. */
export interface OpenApiSchemas {
  readonly root: Fields;
  readonly all: Readonly<Record<string, Fields>>;
}

/** Requests the OpenAPI v3 document of the group version of a resource. */
export async function openApiSchemas(client: Client, mapping: ResourceInfo): Promise<OpenApiSchemas> {
  const helper = new RequestHelper(client);
  const index = await helper.send('GET', '/openapi/v3');
  const path = mapping.group === '' ? `api/${mapping.version}` : `apis/${mapping.group}/${mapping.version}`;
  const url = textAt(index, 'paths', path, 'serverRelativeURL');
  if (url === '')
    throw new CommandError(
      `couldn't find resource for "${mapping.group}/${mapping.version}, Resource=${mapping.resource}"`,
    );
  const document = await helper.send('GET', url);
  const all = recordAt(document, 'components', 'schemas') as Record<string, Fields>;
  const root = Object.values(all).find((schema) =>
    recordsAt(schema, 'x-kubernetes-group-version-kind').some(
      (one) =>
        textAt(one, 'group') === mapping.group &&
        textAt(one, 'version') === mapping.version &&
        textAt(one, 'kind') === mapping.kind,
    ),
  );
  if (!root)
    throw new CommandError(
      `GVR (${mapping.group}/${mapping.version}, Resource=${mapping.resource}) not found in OpenAPI schema`,
    );
  return { root, all };
}

/** A schema behind references, with the name of the last one. */
export function resolved({ all }: Pick<OpenApiSchemas, 'all'>, schema: Fields): { schema: Fields; name?: string } {
  const reference = referenceOf(schema);
  if (reference === undefined) return { schema };
  const target = all[reference];
  const description = textAt(schema, 'description');
  if (!isRecord(target)) return { schema };
  return { schema: description === '' ? target : { ...target, description }, name: reference.split('.').at(-1) ?? '' };
}

function referenceOf(schema: Fields): string | undefined {
  const direct = textAt(schema, '$ref');
  const inside = recordsAt(schema, 'allOf')
    .map((one) => textAt(one, '$ref'))
    .find(Boolean);
  const text = direct || inside;
  return text ? text.replace('#/components/schemas/', '') : undefined;
}
