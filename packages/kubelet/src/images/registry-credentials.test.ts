import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { credentialsFor, credentialsIn, pullSecretsOf } from './registry-credentials.js';

const encode = (value: unknown) => btoa(JSON.stringify(value));

describe('pull secrets', () => {
  test.each([
    {
      type: 'kubernetes.io/dockerconfigjson',
      key: '.dockerconfigjson',
      value: { auths: { 'r.io': { auth: btoa('a:b:c') } } },
    },
    { type: 'kubernetes.io/dockercfg', key: '.dockercfg', value: { 'r.io': { username: 'a', password: 'b:c' } } },
  ])('$type', ({ type, key, value }) => {
    expect(credentialsIn({ metadata: { name: 's' }, type, data: { [key]: encode(value) } })).toEqual([
      { pattern: 'r.io', auth: { username: 'a', password: 'b:c' } },
    ]);
  });

  test('a secret of another type, or an invalid one, has no credentials', () => {
    expect(credentialsIn({ metadata: {}, type: 'Opaque', data: { '.dockerconfigjson': 'x' } })).toEqual([]);
    const broken = { metadata: {}, type: 'kubernetes.io/dockercfg', data: { '.dockercfg': btoa('{') } };
    expect(credentialsIn(broken)).toEqual([]);
  });

  test('are named by the pod', () => {
    expect(pullSecretsOf(makePod({ imagePullSecrets: [{ name: 'a' }, {}] }))).toEqual(['a']);
  });
});

describe('credentials for an image', () => {
  const of = (pattern: string) => ({ pattern, auth: { username: pattern } });
  test.each([
    { image: 'busybox', patterns: ['https://index.docker.io/v1/'], found: 1 },
    { image: 'team/app:1', patterns: ['docker.io'], found: 1 },
    { image: 'r.io:5000/a/b@sha256:00', patterns: ['r.io:5000', 'r.io'], found: 1 },
    { image: 'a.r.io/x', patterns: ['*.r.io', '*.io'], found: 1 },
    { image: 'r.io/team/app', patterns: ['r.io/other', 'r.io/team'], found: 1 },
    { image: 'localhost/app', patterns: ['localhost'], found: 1 },
    { image: 'evil.com/r.io', patterns: ['r.io'], found: 0 },
  ])('$image with $patterns', ({ image, patterns, found }) => {
    expect(credentialsFor(image, patterns.map(of))).toHaveLength(found);
  });

  test('the most specific comes first', () => {
    const found = credentialsFor('r.io/team/app', [of('r.io'), of('r.io/team')]);
    expect(found.map(({ username }) => username)).toEqual(['r.io/team', 'r.io']);
  });
});
