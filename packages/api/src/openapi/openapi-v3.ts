import type { GroupVersion, ResourceInfo } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import { groupOperation, groupVersionOperation, otherOperations } from './discovery-operations.js';
import { type CustomSchemas, DocumentKinds } from './document-kinds.js';
import { answerTypes, bodyTypes, codeDescription } from './media-types.js';
import { type Operation, operationsOf } from './operations.js';
import { type ParameterKey, parameterOf } from './parameters.js';
import { pathItems } from './path-items.js';
import { dialect3, type SchemaObject } from './schema-object.js';

export interface OpenApiV3Options {
  readonly groupVersion: GroupVersion;
  /** The resources of this group version, including custom ones; others are ignored. */
  readonly resources: readonly ResourceInfo[];
  /** The version of the server: `v1.36.0`. */
  readonly version: string;
  readonly customSchemas?: CustomSchemas;
}

/** The document of one group version, as at `/openapi/v3/apis/apps/v1`. */
export function openApiV3({ groupVersion, resources, version, customSchemas }: OpenApiV3Options): object {
  const { group, version: groupsVersion } = groupVersion;
  const own = resources.filter((resource) => resource.group === group && resource.version === groupsVersion);
  return makeDocument([groupVersionOperation(groupVersion), ...own.flatMap(operationsOf)], version, customSchemas);
}

/**
 * The documents without a group version: `api`, `apis`, `apis/apps`, `version` and others.
 * `undefined` if there is none of that name.
 */
export function openApiV3Other(name: string, version: string): object | undefined {
  const group = name === 'api' ? '' : /^apis\/([^/]+)$/.exec(name)?.[1];
  const operations = ownValue(otherOperations, name) ?? (group === undefined ? undefined : [groupOperation(group)]);
  return operations && makeDocument(operations, version);
}

function makeDocument(
  operations: readonly Operation[],
  version: string,
  custom: CustomSchemas = () => undefined,
): object {
  const kinds = new DocumentKinds(dialect3, custom);
  const paths = pathItems(operations, {
    parameter: parameterObject,
    operation: (operation, own) => operationObject(operation, own.map(parameterObject), kinds),
  });
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version },
    paths,
    components: {
      schemas: kinds.definitions(),
      securitySchemes: {
        BearerToken: {
          type: 'apiKey',
          description: 'Bearer Token authentication',
          name: 'authorization',
          in: 'header',
        },
      },
    },
  };
}

function operationObject(operation: Operation, parameters: readonly object[], kinds: DocumentKinds): object {
  const { action, gvk, id, tag, description, body, codes, deprecated } = operation;
  const schema = kinds.bodyOf(operation);
  const content = contentOf(answerTypes(operation), kinds.answerOf(operation));
  const responses: Record<string, object> = {};
  for (const code of codes) responses[code] = { description: codeDescription(code), content };
  responses[401] = { description: codeDescription(401) };
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(parameters.length > 0 && { parameters }),
    ...(schema && {
      requestBody: {
        content: contentOf(bodyTypes(operation), schema),
        ...(body !== 'deleteOptions' && { required: true }),
      },
    }),
    responses,
    ...(deprecated && { deprecated }),
    ...(action && { 'x-kubernetes-action': action }),
    ...(gvk && { 'x-kubernetes-group-version-kind': gvk }),
  };
}

function parameterObject(key: ParameterKey): object {
  const { name, in: place, type, description } = parameterOf(key);
  return {
    name,
    in: place,
    description,
    ...(place === 'path' && { required: true }),
    schema: { type, uniqueItems: true },
  };
}

function contentOf(types: readonly string[], schema: SchemaObject): Record<string, object> {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}
