import { defineResource, type ObjectOf, s } from 'coracle';

/** A website: pages that are served under a host name by some replicas. */
export const Website = defineResource({
  group: 'example.org',
  version: 'v1',
  kind: 'Website',
  shortNames: ['site'],
  description: 'Pages, and how many servers there are for them.',
  spec: s.object({
    host: s.string().format('hostname').max(253).describe('The name under which the site is reached.'),
    pages: s.map(s.string()).min(1).max(100).describe('File name → contents.'),
    replicas: s.int32().min(0).max(10).default(1),
    image: s.string().default('nginx:1.29'),
  }),
  status: s.object({
    readyReplicas: s.int32().optional(),
    selector: s.string().optional(),
    url: s.string().optional(),
    conditions: s.conditions().optional(),
  }),
  printerColumns: [
    { name: 'Host', type: 'string', jsonPath: '.spec.host' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.readyReplicas',
    labelSelectorPath: '.status.selector',
  },
  selectableFields: ['.spec.host'],
});
export type Website = ObjectOf<typeof Website>;
