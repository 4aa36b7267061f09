import type { CustomResourceDefinition, ResourceRef } from 'coracle';

export interface Flunder {
  apiVersion?: string;
  kind?: string;
  metadata: { name?: string; namespace?: string; resourceVersion?: string };
  spec?: { reference?: string; colour?: string };
}

export const group = 'wardle.example.com';

export const flunders: ResourceRef<Flunder> = {
  group,
  version: 'v1',
  kind: 'Flunder',
  resource: 'flunders',
  namespaced: true,
};

/** The CRD of flunders. No cluster stores it: the server brings it along. */
export const crd: Pick<CustomResourceDefinition, 'spec'> = {
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'flunders', singular: 'flunder', kind: 'Flunder', shortNames: ['fl'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  reference: { type: 'string', description: 'Name of another flunder' },
                  colour: { type: 'string', enum: ['red', 'green'], default: 'green' },
                },
              },
            },
          },
        },
        additionalPrinterColumns: [{ name: 'Colour', type: 'string', jsonPath: '.spec.colour' }],
      },
    ],
  },
};
