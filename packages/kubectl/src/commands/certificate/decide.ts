import { isConflict } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';
import { CommandError, throwCollected } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { printerOf } from '../../printers/print-flags.js';
import { findOptions } from '../../resources/common-flags.js';
import { findResources } from '../../resources/find-resources.js';
import { goResource, type Info } from '../../resources/info.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { type Fields, recordAt, recordsAt, textAt } from '../../values.js';

export interface Decision {
  readonly type: 'Approved' | 'Denied';
  readonly opposite: 'Approved' | 'Denied';
  readonly operation: string;
  readonly reason: string;
  readonly message: string;
}

/** Approves or denies certificate signing requests. */
export async function decide(context: Context, decision: Decision): Promise<void> {
  const { args, flags, factory } = context;
  const hasFiles = flags.strings('filename').length > 0 || flags.string('kustomize') !== '';
  if (args.length === 0 && !hasFiles)
    throw new CommandError('one or more CSRs must be specified as <name> or -f <filename>');
  const typed = args.some((arg) => arg.includes('/')) ? args : args.length > 0 ? ['csr', ...args] : [];
  const options = await findOptions(context, { args: typed });
  const { infos, errors } = await findResources(factory, options);
  const printer = await printerOf(context, { operation: decision.operation });
  const failures = [...errors];
  for (const info of infos) {
    try {
      if (info.mapping?.namespaced)
        throw new CommandError(`no namespace set on resource ${goResource(info.mapping)} ${JSON.stringify(info.name)}`);
      await decideOne(await factory.client(), info, { ...decision, force: flags.bool('force') });
      print(
        context,
        printer.print({
          apiVersion: 'certificates.k8s.io/v1',
          kind: 'CertificateSigningRequest',
          metadata: { name: info.name },
        }),
      );
    } catch (error) {
      failures.push(error);
    }
  }
  throwCollected(failures);
}

const attempts = 5;

/** Decides on one request; one that others change meanwhile is read again. */
export async function decideOne(
  client: Client,
  info: Info,
  { force, ...decision }: Decision & { readonly force: boolean },
): Promise<void> {
  const helper = new RequestHelper(client);
  for (let attempt = 1; ; attempt++) {
    const current = await helper.get(info);
    const changed = withDecision(current, decision, force);
    if (!changed) return;
    try {
      await helper.replace(info, changed, { subresource: 'approval' });
      return;
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw error;
    }
  }
}

/** The request with the decision; `undefined` if it has been taken before. */
function withDecision(
  request: Fields,
  { type, opposite, reason, message }: Decision,
  force: boolean,
): Fields | undefined {
  const conditions = recordsAt(request, 'status', 'conditions');
  const has = (type: string) => conditions.some((one) => one['type'] === type);
  if (has(opposite))
    throw new CommandError(
      `certificate signing request ${JSON.stringify(textAt(request, 'metadata', 'name'))} is already ${opposite}`,
    );
  if (has(type) && !force) return undefined;
  const others = conditions.filter((one) => one['type'] !== type);
  const status = { ...recordAt(request, 'status'), conditions: [...others, { type, status: 'True', reason, message }] };
  return { ...request, status };
}
