import type { CustomResourceDefinition, JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import { isKnownFormat } from './formats.js';
import { childrenOf } from './structural-schema.validation.js';

/** Formats that are not checked, each once. */
export function unrecognizedFormats({ spec }: CustomResourceDefinition): string[] {
  const found = new Set<string>();
  const visit = (schema: JSONSchemaProps) => {
    const { format = '' } = schema;
    if (format !== '' && !isKnownFormat(format)) found.add(format);
    for (const child of childrenOf(schema)) visit(child);
  };
  for (const { schema } of spec.versions ?? []) if (schema?.openAPIV3Schema) visit(schema.openAPIV3Schema);
  return [...found].map((format) => `unrecognized format ${JSON.stringify(format)}`);
}
