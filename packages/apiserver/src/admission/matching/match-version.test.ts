import { expect, test } from 'vitest';
import type { AdmissionAttributes, AdmissionVersion } from '../admission.js';
import { matchVersion } from './match-version.js';

const versionOf = (group: string, version: string) =>
  ({
    resource: { group, version, resource: 'deployments' },
    kind: { group, version, kind: 'Deployment' },
  }) as Partial<AdmissionVersion> as AdmissionVersion;

const attributes = {
  requested: versionOf('apps', 'v1'),
  equivalents: [versionOf('apps', 'v1alpha1'), versionOf('apps', 'v1beta1'), versionOf('extensions', 'v1beta1')],
  operation: 'CREATE',
  subresource: '',
  isNamespaced: true,
} as Partial<AdmissionAttributes> as AdmissionAttributes;

const rule = (group: string, ...apiVersions: string[]) => ({
  operations: ['*'],
  apiGroups: [group],
  apiVersions,
  resources: ['deployments'],
});

test.each([
  ['the requested one, whatever rule it is in', [rule('extensions', 'v1beta1'), rule('apps', 'v1')], 'apps/v1'],
  [
    'of equivalent ones that of the first rule',
    [rule('extensions', 'v1beta1'), rule('apps', 'v1beta1')],
    'extensions/v1beta1',
  ],
  ['also if it is the other way round', [rule('apps', 'v1beta1'), rule('extensions', 'v1beta1')], 'apps/v1beta1'],
  ['of one rule the first that is served', [rule('apps', 'v1beta1', 'v1alpha1')], 'apps/v1alpha1'],
  ['none of another group', [rule('batch', '*')], undefined],
])('the version of a match is %s', (_name, rules, expected) => {
  const found = matchVersion({ rules, matchPolicy: 'Equivalent' }, attributes)?.version.resource;
  expect(found && `${found.group}/${found.version}`).toBe(expected);
});
