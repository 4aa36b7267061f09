import { isNotFound, StatusError } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { formatPrinter } from '../../printers/print-flags.js';
import { TableWriter } from '../../printers/tab-writer.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { type Fields, recordAt, textAt, textsAt } from '../../values.js';

export async function run(context: Context): Promise<void> {
  const { flags, factory } = context;
  const helper = new RequestHelper(await factory.client());
  const answer = await review(helper);
  const output = flags.string('output');
  if (output !== '') {
    const printer = await formatPrinter(context, output, {});
    return print(
      context,
      printer.print({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', ...answer }),
    );
  }
  const user = recordAt(answer, 'status', 'userInfo');
  const rows = [['ATTRIBUTE', 'VALUE']];
  if (textAt(user, 'username') !== '') rows.push(['Username', textAt(user, 'username')]);
  if (textAt(user, 'uid') !== '') rows.push(['UID', textAt(user, 'uid')]);
  const groups = textsAt(user, 'groups');
  if (groups.length > 0) rows.push(['Groups', `[${groups.join(' ')}]`]);
  const extra = recordAt(user, 'extra');
  for (const key of Object.keys(extra).sort()) rows.push([`Extra: ${key}`, `[${textsAt(extra, key).join(' ')}]`]);
  print(context, new TableWriter().format(rows));
}

/** The user that the server authenticates. */
export async function review(helper: RequestHelper): Promise<Fields> {
  const body = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1', metadata: {} };
  try {
    return await helper.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body });
  } catch (error) {
    if (isNotFound(error)) throw new CommandError('the selfsubjectreviews API is not enabled in the cluster');
    if (error instanceof StatusError && error.status.reason === 'Forbidden')
      throw new CommandError(
        'the selfsubjectreviews API is not enabled in the cluster or you do not have permission to call it',
      );
    throw error;
  }
}
