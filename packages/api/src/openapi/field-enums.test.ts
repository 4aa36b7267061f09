import { expect, it } from 'vitest';
import { enumValues } from '../generated/enums.js';
import { resources } from '../generated/resources.js';
import { schemaOf } from '../schemas.js';
import { openApiV2 } from './openapi-v2.js';
import { openApiV3 } from './openapi-v3.js';

const version = 'v1.36.0';

interface Property {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Property;
  readonly additionalProperties?: Property;
}
type Definitions = Readonly<Record<string, { readonly properties?: Readonly<Record<string, Property>> }>>;

const core = openApiV3({ groupVersion: { group: '', version: 'v1' }, resources, version }) as {
  readonly components: { readonly schemas: Definitions };
};
const { definitions } = openApiV2({ resources, version }) as { readonly definitions: Definitions };
const documents: [string, Definitions][] = [
  ['v2', definitions],
  ['v3', core.components.schemas],
];

it.each(documents)(
  'OpenAPI %s tells the values of an enum, in the property and in its description',
  (_name, schemas) => {
    const protocol = schemas['io.k8s.api.core.v1.ContainerPort']?.properties?.['protocol'];
    expect(protocol).toMatchObject({ type: 'string', enum: ['SCTP', 'TCP', 'UDP'] });
    expect(protocol?.description).toMatch(/\.\n\nPossible enum values:\n - `"SCTP"`\n - `"TCP"`\n - `"UDP"`$/);
  },
);

it.each(documents)('OpenAPI %s tells those of a list at its items, and not in the description', (_name, schemas) => {
  const modes = schemas['io.k8s.api.core.v1.PersistentVolumeClaimSpec']?.properties?.['accessModes'];
  expect(modes?.items?.enum).toEqual(['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']);
  expect(modes).not.toHaveProperty('enum');
  expect(modes?.description).not.toContain('Possible enum values');
});

it.each(documents)(
  'OpenAPI %s has the empty value of a path type, and no values for plain strings',
  (_name, schemas) => {
    expect(schemas['io.k8s.api.core.v1.HostPathVolumeSource']?.properties?.['type']?.enum?.[0]).toBe('');
    expect(schemas['io.k8s.api.core.v1.ContainerPort']?.properties?.['name']).not.toHaveProperty('enum');
    expect(schemas['io.k8s.api.core.v1.Secret']?.properties?.['type']).not.toHaveProperty('enum');
  },
);

it('every enum is of a field that there is, and is published', () => {
  const all = JSON.stringify(definitions).match(/"enum":\[/g) ?? [];
  const fields = Object.entries(enumValues).flatMap(([definition, ofFields]) =>
    Object.keys(ofFields).map((field) => ({ definition, field })),
  );
  const unknown = fields.filter(({ definition, field }) => {
    const schema = schemaOf(definition);
    return schema.type !== 'object' || !schema.fields.has(field);
  });
  expect(unknown).toEqual([]);
  expect(all.length).toBe(fields.length);
});
