import type { GroupVersion } from '@coracle/apimachinery';
import { basePathOf, type Operation } from './operations.js';
import type { ParameterKey } from './parameters.js';
import { groupTag, groupTitle, groupVersionTitle, tagOf } from './titles.js';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The question what resources a group version has. */
export function groupVersionOperation(groupVersion: GroupVersion): Operation {
  return discovery({
    path: `${basePathOf(groupVersion)}/`,
    id: `get${groupVersionTitle(groupVersion)}APIResources`,
    tag: tagOf(groupVersion),
    description: 'get available resources',
    answer: { definition: `${meta}.APIResourceList` },
  });
}

/** The question what versions a group has; for the core group, which versions there are. */
export function groupOperation(group: string): Operation {
  if (group === '')
    return discovery({
      path: '/api/',
      id: 'getCoreAPIVersions',
      tag: 'core',
      description: 'get available API versions',
      answer: { definition: `${meta}.APIVersions` },
    });
  return discovery({
    path: `/apis/${group}/`,
    id: `get${groupTitle(group)}APIGroup`,
    tag: groupTag(group),
    description: 'get information of a group',
    answer: { definition: `${meta}.APIGroup` },
  });
}

/** What the server answers that is no resource. Its key is the name under which version 3 has its document. */
export const otherOperations: Readonly<Record<string, readonly Operation[]>> = {
  '.well-known/openid-configuration': [
    discovery({
      path: '/.well-known/openid-configuration/',
      id: 'getServiceAccountIssuerOpenIDConfiguration',
      tag: 'WellKnown',
      description: 'get the OpenID configuration of the issuer of service account tokens',
      answer: 'text',
    }),
  ],
  apis: [
    discovery({
      path: '/apis/',
      id: 'getAPIVersions',
      tag: 'apis',
      description: 'get available API versions',
      answer: { definition: `${meta}.APIGroupList` },
    }),
  ],
  logs: [
    { ...discovery({ path: '/logs/', id: 'logFileListHandler', tag: 'logs', description: 'list logs' }), codes: [] },
    {
      ...discovery({ path: '/logs/{logpath}', id: 'logFileHandler', tag: 'logs', description: 'read a log' }),
      parameters: ['logpath'] satisfies ParameterKey[],
      codes: [],
    },
  ],
  'openid/v1/jwks': [
    discovery({
      path: '/openid/v1/jwks/',
      id: 'getServiceAccountIssuerOpenIDKeyset',
      tag: 'openid',
      description: 'get the keys that sign service account tokens',
      answer: 'text',
    }),
  ],
  version: [
    discovery({
      path: '/version/',
      id: 'getCodeVersion',
      tag: 'version',
      description: 'get the version of the server',
      answer: { definition: 'io.k8s.apimachinery.pkg.version.Info' },
    }),
  ],
};

function discovery(
  operation: Pick<Operation, 'path' | 'id' | 'tag' | 'description'> & Partial<Pick<Operation, 'answer'>>,
): Operation {
  return { method: 'get', parameters: [], body: 'none', answer: 'text', codes: [200], deprecated: false, ...operation };
}
