import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { messageOf } from '../../command/format-error.js';
import { filesOf } from '../../resources/read-manifests.js';
import { type Generated, requireName } from './generated.js';
import { secretOf } from './secret-generic.js';

export async function generate(context: Context): Promise<Generated> {
  const name = requireName(context);
  const [certificate, key] = [context.flags.string('cert'), context.flags.string('key')];
  if (!certificate || !key) throw new CommandError('key and cert must be specified');
  const [certificateBytes, keyBytes] = [await read(context, certificate), await read(context, key)];
  checkPem(certificateBytes, 'CERTIFICATE', 'failed to find any PEM data in certificate input');
  checkPem(keyBytes, 'PRIVATE KEY', 'failed to find any PEM data in key input');
  const entries = new Map([
    ['tls.crt', certificateBytes],
    ['tls.key', keyBytes],
  ]);
  return secretOf(context, { name, type: 'kubernetes.io/tls', entries });
}

async function read({ host }: Context, path: string): Promise<Uint8Array> {
  try {
    return await filesOf(host).read(path);
  } catch (error) {
    throw new CommandError(`Cannot read file ${path}, ${messageOf(error)}`);
  }
}

function checkPem(bytes: Uint8Array, label: string, problem: string): void {
  const text = new TextDecoder().decode(bytes);
  if (!new RegExp(`-----BEGIN [A-Z ]*${label}-----`).test(text)) throw new CommandError(`tls: ${problem}`);
}
