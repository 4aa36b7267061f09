import { readFile } from 'node:fs/promises';
import {
  decodeObject,
  type FieldSchema,
  type ObjectSchema,
  parseYamlDocuments,
  type Schema,
} from '@coracle/apimachinery';
import { isRecord, messageOf } from '@coracle/base';

interface AuthenticationConfiguration {
  readonly jwt?: readonly object[];
  readonly anonymous?: { readonly enabled?: boolean; readonly conditions?: readonly { readonly path?: string }[] };
}

const versions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.k8s.io/${version}`);

/** Whether anonymous requests are allowed, and at which paths, from the file of `--authentication-config`. */
export async function readAnonymous(
  file: string,
): Promise<boolean | { readonly paths: readonly string[] } | undefined> {
  const { anonymous } = checked(file, parseYamlDocuments(await readFile(file))[0]?.value);
  if (!anonymous) return undefined;
  const { enabled = false, conditions = [] } = anonymous;
  if (conditions.length === 0) return enabled;
  if (!enabled)
    throw new Error(`${file}: anonymous.conditions: enabled should be set to true when conditions are defined`);
  return { paths: conditions.map(({ path = '' }) => path) };
}

/** Strict: an error in the file is reported, and no field is ignored. */
function checked(file: string, value: unknown): AuthenticationConfiguration {
  const { kind, apiVersion } = isRecord(value) ? value : {};
  if (kind !== 'AuthenticationConfiguration' || !versions.includes(String(apiVersion)))
    throw new Error(`${file} contains no AuthenticationConfiguration of ${versions.join(', ')}`);
  try {
    const { object, unknownFields } = decodeObject<AuthenticationConfiguration>(value, schema());
    if (unknownFields.length > 0) throw new Error(`unknown field ${JSON.stringify(unknownFields[0])}`);
    return object;
  } catch (error) {
    throw new Error(`${file}: ${messageOf(error)}`, { cause: error });
  }
}

function schema(): ObjectSchema {
  const text: Schema = { type: 'string' };
  const conditions: Schema = { type: 'list', items: objectOf('AnonymousAuthCondition', { path: text }) };
  return objectOf('AuthenticationConfiguration', {
    apiVersion: text,
    kind: text,
    jwt: { type: 'list', items: { type: 'any' } },
    anonymous: objectOf('AnonymousAuthConfig', { enabled: { type: 'boolean' }, conditions }),
  });
}

function objectOf(name: string, schemas: Readonly<Record<string, Schema>>): ObjectSchema {
  const fields = new Map<string, FieldSchema>();
  for (const [field, schema] of Object.entries(schemas))
    fields.set(field, { name: field, schema, required: false, presence: 'given' });
  return { type: 'object', name, fields };
}
