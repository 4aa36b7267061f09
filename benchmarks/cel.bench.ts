import {
  boolType,
  CelEnvironment,
  fromJson,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
} from '@coracle/apimachinery';
import { bench, describe } from 'vitest';

const portType = objectType(
  'Port',
  new Map([
    ['name', stringType],
    ['port', intType],
  ]),
);
const selfType = objectType(
  'Spec',
  new Map([
    ['name', stringType],
    ['image', stringType],
    ['replicas', intType],
    ['minReplicas', intType],
    ['paused', boolType],
    ['labels', mapType(stringType, stringType)],
    ['ports', listType(portType)],
  ]),
);
const self = fromJson({
  name: 'web-1',
  image: 'registry.example.org/web:1.2',
  replicas: 3,
  minReplicas: 1,
  paused: false,
  labels: { app: 'web', tier: 'front' },
  ports: [
    { name: 'http', port: 80 },
    { name: 'https', port: 443 },
  ],
});
const environment = new CelEnvironment({ variables: { self: selfType, oldSelf: selfType } });

/** Rules from the CRDs of well-known projects. */
const rules = [
  'self.minReplicas <= self.replicas',
  'self.replicas > 0 && self.name.startsWith("web")',
  'self.name == oldSelf.name',
  '!has(self.paused) || !self.paused || self.replicas == 0',
  '"app" in self.labels && self.labels["app"] != ""',
  'self.ports.all(p, p.port > 0 && p.port < 65536)',
  'self.name.matches("^[a-z]([-a-z0-9]*[a-z0-9])?$")',
];

describe('evaluation of a CEL rule (goal: under 10 µs)', () => {
  for (const rule of rules) {
    const program = environment.compile(rule);
    bench(rule, () => {
      program.run({ self, oldSelf: self });
    });
  }
});
