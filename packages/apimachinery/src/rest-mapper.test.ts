import { describe, expect, test } from 'vitest';
import type { ResourceInfo } from './resource-info.js';
import { RestMapper } from './rest-mapper.js';

const info = (group: string, version: string, kind: string, shortNames: string[] = []): ResourceInfo => ({
  group,
  version,
  kind,
  resource: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  namespaced: true,
  shortNames,
  categories: kind === 'Pod' || kind === 'Deployment' ? ['all'] : [],
  verbs: ['get'],
  subresources: [],
});

const mapper = new RestMapper([
  info('', 'v1', 'Pod', ['po']),
  info('', 'v1', 'Event', ['ev']),
  info('apps', 'v1', 'Deployment', ['deploy']),
  info('autoscaling', 'v2', 'Scaler', ['sc']),
  info('autoscaling', 'v1', 'Scaler', ['sc']),
  info('events.k8s.io', 'v1', 'Event', ['ev']),
  info('example.com', 'v1', 'Po'),
]);

describe('RestMapper', () => {
  const cases = [
    ['pods', '/v1/Pod'],
    ['pod', '/v1/Pod'],
    ['PODS', '/v1/Pod'],
    ['deploy', 'apps/v1/Deployment'],
    ['deployments.apps', 'apps/v1/Deployment'],
    ['deployments.v1.apps', 'apps/v1/Deployment'],
    ['deploy.v9.apps', 'apps/v1/Deployment'],
    ['deployments.v9.apps', undefined],
    ['pods.v1.', '/v1/Pod'],
    ['pods.v1', undefined],
    ['events', '/v1/Event'],
    ['events.events.k8s.io', 'events.k8s.io/v1/Event'],
    ['events.v1.events.k8s.io', 'events.k8s.io/v1/Event'],
    ['scalers', 'autoscaling/v2/Scaler'],
    ['scalers.v1.autoscaling', 'autoscaling/v1/Scaler'],
    ['scalers.auto', 'autoscaling/v2/Scaler'],
    ['sc.auto', 'autoscaling/v2/Scaler'],
    ['sc.v1.auto', 'autoscaling/v1/Scaler'],
    ['scalers.v1.auto', undefined],
    ['SC', undefined],
    ['po', 'example.com/v1/Po'],
    ['nothing', undefined],
    ['pods.apps', undefined],
  ] as const;

  test.each(cases)('%s means %s', (argument, expected) => {
    const found = mapper.parse(argument);
    expect(found && `${found.group}/${found.version}/${found.kind}`).toBe(expected);
  });

  test('finds the resource of a kind, in the preferred version unless one is named', () => {
    expect(mapper.byKind({ group: 'autoscaling', kind: 'Scaler' })?.version).toBe('v2');
    expect(mapper.byKind({ group: 'autoscaling', version: 'v1', kind: 'Scaler' })?.version).toBe('v1');
    expect(mapper.byKind({ group: 'apps', kind: 'Pod' })).toBeUndefined();
  });

  test('lists versions and categories', () => {
    expect(mapper.versions({ group: 'autoscaling', resource: 'scalers' }).map(({ version }) => version)).toEqual([
      'v2',
      'v1',
    ]);
    expect(mapper.inCategory('all').map(({ kind }) => kind)).toEqual(['Pod', 'Deployment']);
  });
});
