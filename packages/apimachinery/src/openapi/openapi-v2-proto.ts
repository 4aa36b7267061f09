import {
  anything,
  entries,
  flag,
  many,
  mapOf,
  message,
  one,
  real,
  text,
  texts,
  type WriteMessage,
  whole,
  writeProto3,
} from './proto3-writer.js';

/** The media types by which Go clients request `/openapi/v2` in this form; the second is the one to answer with. */
export const openApiV2ProtoMediaTypes = [
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
] as const;

/** A document of OpenAPI v2 as the protobuf message `openapi.v2.Document`. */
export function encodeOpenApiV2(document: object): Uint8Array {
  return writeProto3(document, writeDocument);
}

type JsonObject = Readonly<Record<string, unknown>>;

const writeReference = message({ description: text(2), $ref: text(1) });

/** A schema, or a flag where `additionalProperties` says that there may be more. */
const writeAdditional: WriteMessage = (writer, value) => {
  if (typeof value === 'boolean') flag(2)(writer, value);
  else one(1, writeSchema)(writer, value);
};

const schemaFields = message(
  {
    example: one(30, anything),
    externalDocs: one(29, message({ url: text(2), description: text(1) }, 3)),
    readOnly: flag(27),
    discriminator: text(26),
    properties: mapOf(25, () => writeSchema),
    allOf: many(24, (writer, value) => writeSchema(writer, value)),
    items: one(23, (writer, value) => (Array.isArray(value) ? many : one)(1, writeSchema)(writer, value)),
    type: one(22, (writer, value) => texts(1)(writer, [value].flat())),
    additionalProperties: one(21, writeAdditional),
    enum: many(20, anything),
    required: texts(19),
    minProperties: whole(18),
    maxProperties: whole(17),
    uniqueItems: flag(16),
    minItems: whole(15),
    maxItems: whole(14),
    pattern: text(13),
    minLength: whole(12),
    maxLength: whole(11),
    exclusiveMinimum: flag(10),
    minimum: real(9),
    exclusiveMaximum: flag(8),
    maximum: real(7),
    multipleOf: real(6),
    default: one(5, anything),
    description: text(4),
    title: text(3),
    format: text(2),
    $ref: text(1),
  },
  31,
);

/** A declaration, so that the tables above can name it. */
function writeSchema(...args: Parameters<WriteMessage>): void {
  schemaFields(...args);
}

const writeBodyParameter = message(
  { schema: one(5, writeSchema), required: flag(4), in: text(3), name: text(2), description: text(1) },
  6,
);
const writePathParameter = message(
  {
    uniqueItems: flag(19),
    format: text(6),
    type: text(5),
    name: text(4),
    description: text(3),
    in: text(2),
    required: flag(1),
  },
  22,
);
const writeQueryParameter = message(
  {
    uniqueItems: flag(20),
    format: text(7),
    type: text(6),
    name: text(4),
    description: text(3),
    in: text(2),
    required: flag(1),
  },
  23,
);

const writeParameter: WriteMessage = (writer, value) => {
  const place = (value as JsonObject).in;
  if (place === 'body') one(1, writeBodyParameter)(writer, value);
  else one(2, place === 'path' ? one(4, writePathParameter) : one(3, writeQueryParameter))(writer, value);
};

const writeParameterOrReference: WriteMessage = (writer, value) => {
  if ('$ref' in (value as JsonObject)) one(2, writeReference)(writer, value);
  else one(1, writeParameter)(writer, value);
};

const writeResponse = one(1, message({ schema: one(2, one(1, writeSchema)), description: text(1) }, 5));
const writeSecurity = entries(1, () => (writer, value) => texts(1)(writer, value));

const writeOperation = message(
  {
    security: many(12, writeSecurity),
    deprecated: flag(11),
    schemes: texts(10),
    responses: one(
      9,
      entries(1, () => writeResponse),
    ),
    parameters: many(8, writeParameterOrReference),
    consumes: texts(7),
    produces: texts(6),
    operationId: text(5),
    description: text(3),
    summary: text(2),
    tags: texts(1),
  },
  13,
);

const writePathItem = message(
  {
    parameters: many(9, writeParameterOrReference),
    patch: one(8, writeOperation),
    head: one(7, writeOperation),
    options: one(6, writeOperation),
    delete: one(5, writeOperation),
    post: one(4, writeOperation),
    put: one(3, writeOperation),
    get: one(2, writeOperation),
    $ref: text(1),
  },
  10,
);

const writeSecurityDefinition = one(2, message({ description: text(4), in: text(3), name: text(2), type: text(1) }, 5));

const writeDocument = message(
  {
    securityDefinitions: mapOf(13, () => writeSecurityDefinition),
    security: many(12, writeSecurity),
    parameters: mapOf(10, () => writeParameter),
    definitions: mapOf(9, () => writeSchema),
    paths: one(
      8,
      entries(2, () => writePathItem),
    ),
    produces: texts(7),
    consumes: texts(6),
    schemes: texts(5),
    info: one(2, message({ description: text(3), version: text(2), title: text(1) }, 7)),
    swagger: text(1),
  },
  16,
);
