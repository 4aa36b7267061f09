import { CommandError, ExitCode } from '../../command/command-error.js';
import { type Context, print, warn } from '../../command/context.js';
import { simplifyRules, sortedRules } from '../../describe/access.js';
import { TableWriter } from '../../printers/tab-writer.js';
import { usualVerbs } from '../../resources/known-verbs.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { type Fields, recordsAt, textAt, textsAt } from '../../values.js';

const resourceVerbs = [...usualVerbs, 'approve', 'sign', 'attest'];
const urlVerbs = ['get', 'put', 'post', 'head', 'options', 'delete', 'patch', '*'];
const reviews = '/apis/authorization.k8s.io/v1';

export async function run(context: Context): Promise<void> {
  const { flags, args } = context;
  if (flags.bool('list')) {
    if (args.length > 0) throw new CommandError('list option must be specified with no arguments');
    return list(context);
  }
  if (args.length < 2 || args.length > 3)
    throw new CommandError(
      "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.",
    );
  const spec = await attributesOf(context);
  const helper = new RequestHelper(await context.factory.client());
  const body = { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec };
  const answer = await helper.send('POST', `${reviews}/selfsubjectaccessreviews`, { body });
  const allowed = (answer['status'] as Fields | undefined)?.['allowed'] === true;
  if (!flags.bool('quiet')) {
    const details = [textAt(answer, 'status', 'reason'), textAt(answer, 'status', 'evaluationError')].filter(Boolean);
    print(context, allowed ? 'yes\n' : `${['no', ...details].join(' - ')}\n`);
  }
  if (!allowed) throw new ExitCode(1);
}

/** What is asked, with warnings about what looks wrong with it. */
async function attributesOf(context: Context): Promise<Fields> {
  const { flags, args, factory } = context;
  const [verb = '', target = '', third] = args;
  const say = (text: string) => {
    if (!flags.bool('quiet')) warn(context, `Warning: ${text}`);
  };
  if (target.startsWith('/')) {
    if (flags.string('subresource') !== '') throw new CommandError('--subresource can not be used with NonResourceURL');
    if (!urlVerbs.includes(verb)) say(`verb '${verb}' is not a known verb`);
    return { nonResourceAttributes: { path: target, verb } };
  }
  const [type = '', name = third ?? ''] = target.split(/\/(.*)/s);
  if (!resourceVerbs.includes(verb)) say(`verb '${verb}' is not a known verb`);
  const { namespace } = await factory.namespace();
  const where = flags.bool('all-namespaces') ? '' : namespace;
  const found = type === '*' ? undefined : await (await factory.discovery()).find(type);
  if (!found && type !== '*') {
    const [resource = '', ...group] = type.split('.');
    say(
      group.length > 0
        ? `the server doesn't have a resource type '${resource}' in group '${group.join('.')}'`
        : `the server doesn't have a resource type '${resource}'`,
    );
  }
  if (found && !found.namespaced && where !== '')
    say(
      `resource '${found.resource}' is not namespace scoped${found.group === '' ? '' : ` in group '${found.group}'`}`,
    );
  const [resource = '', ...group] = type.split('.');
  return {
    resourceAttributes: {
      namespace: where,
      verb,
      group: found?.group ?? (type === '*' ? '*' : group.join('.')),
      resource: found?.resource ?? resource,
      ...(flags.string('subresource') !== '' && { subresource: flags.string('subresource') }),
      ...(name !== '' && { name }),
    },
  };
}

async function list(context: Context): Promise<void> {
  const { factory, flags } = context;
  const { namespace } = await factory.namespace();
  const helper = new RequestHelper(await factory.client());
  const body = {
    kind: 'SelfSubjectRulesReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec: { namespace },
  };
  const answer = await helper.send('POST', `${reviews}/selfsubjectrulesreviews`, { body });
  const status = answer['status'];
  if ((status as Fields | undefined)?.['incomplete'] === true)
    warn(context, `warning: the list may be incomplete: ${textAt(status, 'evaluationError')}`);
  const resources = simplifyRules(recordsAt(status, 'resourceRules'));
  const urls = recordsAt(status, 'nonResourceRules').flatMap((rule) =>
    textsAt(rule, 'nonResourceURLs').map((url) => ({
      resource: '',
      urls: [url],
      names: [],
      verbs: textsAt(rule, 'verbs'),
    })),
  );
  const cells = sortedRules([...resources, ...urls]).map(({ resource, urls: paths, names, verbs }) => [
    resource,
    `[${paths.join(' ')}]`,
    `[${names.join(' ')}]`,
    `[${verbs.join(' ')}]`,
  ]);
  const header = flags.bool('no-headers') ? [] : [['Resources', 'Non-Resource URLs', 'Resource Names', 'Verbs']];
  print(context, new TableWriter().format([...header, ...cells]));
}
