import { CommandError, ExitCode } from '../../command/command-error.js';
import { type Context, print, warn } from '../../command/context.js';
import { simplifyRules, sortedRules } from '../../describe/access.js';
import type { Factory } from '../../factory.js';
import { TableWriter } from '../../printers/tab-writer.js';
import { usualVerbs } from '../../resources/known-verbs.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { type Fields, recordAt, recordsAt, textAt, textsAt } from '../../values.js';

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
  const { allowed, reason, evaluationError } = await reviewAccess(context);
  if (!flags.bool('quiet')) {
    const details = [reason, evaluationError].filter(Boolean);
    print(context, allowed ? 'yes\n' : `${['no', ...details].join(' - ')}\n`);
  }
  if (!allowed) throw new ExitCode(1);
}

/** The result of an access review. */
export interface AccessReview {
  readonly allowed: boolean;
  readonly reason: string;
  readonly evaluationError: string;
}

/** Whether the user is allowed to do what the arguments describe. */
export async function reviewAccess(context: Context): Promise<AccessReview> {
  const spec = await attributesOf(context);
  const helper = new RequestHelper(await context.factory.client());
  const body = { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec };
  const answer = await helper.send('POST', `${reviews}/selfsubjectaccessreviews`, { body });
  return {
    allowed: recordAt(answer, 'status')['allowed'] === true,
    reason: textAt(answer, 'status', 'reason'),
    evaluationError: textAt(answer, 'status', 'evaluationError'),
  };
}

/** The access review of the arguments, with warnings about them. */
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
        ? `the server doesn't have a resource type '${resource}' in group '${group.join('.')}'\n`
        : `the server doesn't have a resource type '${resource}'\n`,
    );
  }
  if (found && !found.namespaced && where !== '')
    say(
      `resource '${found.resource}' is not namespace scoped${found.group === '' ? '' : ` in group '${found.group}'`}\n`,
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

/** The permissions of the user in the namespace, as the server lists them. */
export async function reviewRules(factory: Factory): Promise<Fields> {
  const { namespace } = await factory.namespace();
  const helper = new RequestHelper(await factory.client());
  const head = { kind: 'SelfSubjectRulesReview', apiVersion: 'authorization.k8s.io/v1', metadata: {} };
  const body = { ...head, spec: { namespace } };
  return recordAt(await helper.send('POST', `${reviews}/selfsubjectrulesreviews`, { body }), 'status');
}

async function list(context: Context): Promise<void> {
  const { factory, flags } = context;
  const status = await reviewRules(factory);
  if (status['incomplete'] === true)
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
