import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import type { Fields } from '../../values.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';
import { rulesOf, verbsOf } from './role-rules.js';

const resource: GeneratedResource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};

const urlVerbs = ['*', 'get', 'post', 'put', 'delete', 'patch', 'head', 'options'];

export async function generate(context: Context): Promise<Generated> {
  const { flags } = context;
  const name = requireName(context);
  const aggregation = flags.string('aggregation-rule');
  if (aggregation !== '') {
    if (['verb', 'resource', 'resource-name', 'non-resource-url'].some((flag) => flags.strings(flag).length > 0))
      throw new CommandError(
        'aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames',
      );
    const matchLabels = Object.fromEntries(aggregation.split(',').map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels }] };
    return {
      resource,
      object: { ...headOf(resource), metadata: { name }, rules: null, aggregationRule },
    };
  }
  return {
    resource,
    object: { ...headOf(resource), metadata: { name }, rules: await allRules(context) },
  };
}

async function allRules(context: Context): Promise<Fields[]> {
  const verbs = verbsOf(context);
  const urls = context.flags.strings('non-resource-url');
  if (urls.length === 0) return rulesOf(context, verbs);
  if (verbs.length === 0) throw new CommandError('at least one verb must be specified');
  if (context.flags.strings('resource').length > 0 || context.flags.strings('resource-name').length > 0)
    throw new CommandError('invalid combination of nonResourceURLs and resources');
  for (const verb of verbs)
    if (!urlVerbs.includes(verb)) throw new CommandError(`invalid verb: '${verb}' for nonResourceURL`);
  for (const url of urls) checkUrl(url);
  return [{ verbs, nonResourceURLs: urls }];
}

function checkUrl(url: string): void {
  if (url === '*') return;
  if (url === '' || !url.startsWith('/')) throw new CommandError('nonResourceURL should start with /');
  if (url.slice(0, -1).includes('*'))
    throw new CommandError("nonResourceURL only supports wildcard matches when '*' is at the end");
}
