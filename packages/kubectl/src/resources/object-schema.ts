import { decodeObject, type ObjectSchema, parseApiVersion } from '@coracle/apimachinery';
import { type Fields, textAt } from '../values.js';

/** The schema of a built-in kind; custom ones have none here. */
export async function schemaOfObject(object: Fields): Promise<ObjectSchema | undefined> {
  const groupVersion = parseApiVersion(textAt(object, 'apiVersion'));
  if (!groupVersion) return undefined;
  const { schemaOfKind } = await import('@coracle/api');
  return schemaOfKind({ ...groupVersion, kind: textAt(object, 'kind') });
}

/** An object of a built-in kind as a typed client would write it: with the fields that are always there. */
export async function typedForm(object: Fields): Promise<Fields> {
  const schema = await schemaOfObject(object);
  if (!schema) return object;
  const { object: decoded } = decodeObject<Fields>(object, schema);
  return decoded;
}
