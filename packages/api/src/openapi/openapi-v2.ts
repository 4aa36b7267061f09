import type { ResourceInfo } from '@coracle/apimachinery';
import { groupOperation, groupVersionOperation, otherOperations } from './discovery-operations.js';
import { type CustomSchemas, DocumentKinds } from './document-kinds.js';
import { answerTypes, bodyTypes, codeDescription } from './media-types.js';
import { type Operation, operationsOf } from './operations.js';
import { type ParameterKey, parameterOf } from './parameters.js';
import { type PathWriter, pathItems } from './path-items.js';
import { dialect2 } from './schema-object.js';

export interface OpenApiV2Options {
  /** All that are served, custom ones among them. */
  readonly resources: readonly ResourceInfo[];
  /** The version of the server: `v1.36.0`. */
  readonly version: string;
  readonly customSchemas?: CustomSchemas;
}

/** The document at `/openapi/v2`: the whole API in one. */
export function openApiV2({ resources, version, customSchemas = () => undefined }: OpenApiV2Options): object {
  const kinds = new DocumentKinds(dialect2, customSchemas);
  const operations = allOperations(resources);
  const paths = pathItems(operations, writerFor(kinds));
  const used = [...new Set(operations.flatMap(({ parameters }) => parameters))].sort();
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version },
    paths,
    definitions: kinds.definitions(),
    parameters: Object.fromEntries(used.map((key) => [key, { ...parameterOf(key), ...parameterMarks(key) }])),
    securityDefinitions: {
      BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' },
    },
    security: [{ BearerToken: [] }],
  };
}

/** The paths and definitions of one custom resource. */
export interface OpenApiV2Part {
  readonly paths: object;
  readonly definitions: object;
}

/**
 * Computed once for each resource and assembled: a document with a thousand of them is not computed again for one
 * change.
 */
export function openApiV2Part(resource: ResourceInfo, customSchemas: CustomSchemas): OpenApiV2Part {
  const kinds = new DocumentKinds(dialect2, customSchemas);
  const paths = pathItems(operationsOf(resource), writerFor(kinds));
  return { paths, definitions: kinds.customDefinitions() };
}

/** The paths that report groups and their versions. */
export function openApiV2Groups(resources: readonly ResourceInfo[]): object {
  const groupVersions = new Map(resources.map(({ group, version }) => [`${group}/${version}`, { group, version }]));
  const groups = new Set(resources.map(({ group }) => group));
  const operations = [...[...groups].map(groupOperation), ...[...groupVersions.values()].map(groupVersionOperation)];
  return pathItems(operations, writerFor(new DocumentKinds(dialect2, () => undefined)));
}

/** Every operation of a server that serves these resources. */
export function allOperations(resources: readonly ResourceInfo[]): Operation[] {
  const groupVersions = new Map(resources.map(({ group, version }) => [`${group}/${version}`, { group, version }]));
  const groups = new Set(['', ...resources.map(({ group }) => group)]);
  return [
    ...Object.values(otherOperations).flat(),
    ...[...groups].map(groupOperation),
    ...[...groupVersions.values()].map(groupVersionOperation),
    ...resources.flatMap(operationsOf),
  ];
}

function writerFor(kinds: DocumentKinds): PathWriter {
  const parameter = (key: ParameterKey) => ({ $ref: `#/parameters/${key}` });
  return { parameter, operation: (operation, own) => operationObject(operation, own.map(parameter), kinds) };
}

function operationObject(operation: Operation, own: readonly object[], kinds: DocumentKinds): object {
  const { action, gvk, id, tag, description, body, codes, deprecated } = operation;
  const schema = kinds.bodyOf(operation);
  const required = body !== 'deleteOptions';
  const parameters = [...(schema ? [{ name: 'body', in: 'body', ...(required && { required }), schema }] : []), ...own];
  const answer = kinds.answerOf(operation);
  const responses: Record<string, object> = {};
  for (const code of codes) responses[code] = { description: codeDescription(code), schema: answer };
  responses[401] = { description: codeDescription(401) };
  return {
    description,
    consumes: bodyTypes(operation),
    produces: answerTypes(operation),
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(parameters.length > 0 && { parameters }),
    responses,
    ...(deprecated && { deprecated }),
    ...(action && { 'x-kubernetes-action': action }),
    ...(gvk && { 'x-kubernetes-group-version-kind': gvk }),
  };
}

function parameterMarks(key: ParameterKey): object {
  return parameterOf(key).in === 'path' ? { required: true, uniqueItems: true } : { uniqueItems: true };
}
