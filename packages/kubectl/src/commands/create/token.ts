import { StatusError } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { printerOf } from '../../printers/print-flags.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { type Fields, textAt } from '../../values.js';
import { requireName } from './generated.js';

const boundVersions: Readonly<Record<string, string>> = { Pod: 'v1', Secret: 'v1', Node: 'v1' };

export async function run(context: Context): Promise<void> {
  const { flags, factory } = context;
  const name = requireName(context);
  const bound = boundObject(context);
  if (flags.changed('duration') && flags.number('duration') < 0)
    throw new CommandError('--duration must be greater than or equal to 0');
  const seconds = flags.number('duration') / 1000;
  if (!Number.isInteger(seconds)) throw new CommandError('--duration cannot be expressed in units less than seconds');
  const audiences = flags.strings('audience');
  const body = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: {},
    spec: {
      audiences: audiences.length > 0 ? audiences : null,
      expirationSeconds: seconds > 0 ? seconds : null,
      boundObjectRef: bound ?? null,
    },
  };
  const { namespace } = await factory.namespace();
  const helper = new RequestHelper(await factory.client());
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(name)}/token`;
  const answer = await helper.send('POST', path, { body }).catch((error: unknown) => {
    throw error instanceof StatusError ? new CommandError(`failed to create token: ${error.message}`) : error;
  });
  if (flags.string('output') !== '') {
    const printer = await printerOf(context);
    return print(context, printer.print({ ...answer, kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1' }));
  }
  const token = textAt(answer, 'status', 'token');
  if (token === '') throw new CommandError('failed to create token: no token in server response');
  print(context, `${token}\n`);
}

function boundObject({ flags }: Context): Fields | undefined {
  const [kind, name, uid] = ['kind', 'name', 'uid'].map((part) => flags.string(`bound-object-${part}`));
  if (!kind) {
    if (name) throw new CommandError('--bound-object-name can only be set if --bound-object-kind is provided');
    if (uid) throw new CommandError('--bound-object-uid can only be set if --bound-object-kind is provided');
    return undefined;
  }
  const apiVersion = boundVersions[kind];
  if (!apiVersion)
    throw new CommandError(`supported --bound-object-kind values are ${Object.keys(boundVersions).sort().join(', ')}`);
  if (!name) throw new CommandError('--bound-object-name is required if --bound-object-kind is provided');
  return { kind, apiVersion, name, ...(uid && { uid }) };
}
