import { toBase64 } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { readSources } from '../../resources/read-sources.js';
import { type Generated, requireName } from './generated.js';
import { secretOf } from './secret-generic.js';

const dockerConfigKey = '.dockerconfigjson';

export async function generate(context: Context): Promise<Generated> {
  const { flags } = context;
  const name = requireName(context);
  const [username, password, email] = ['username', 'password', 'email'].map((part) => flags.string(`docker-${part}`));
  const server = flags.string('docker-server');
  const type = 'kubernetes.io/dockerconfigjson';
  if (flags.strings('from-file').length > 0) {
    const entries = await readSources(context, { kind: 'Secret', name });
    return secretOf(context, { name, type, entries });
  }
  if (!username || !password || !server)
    throw new CommandError(
      'either --from-file or the combination of --docker-username, --docker-password and --docker-server is required',
    );
  const auth = toBase64(new TextEncoder().encode(`${username}:${password}`));
  const config = { auths: { [server]: { username, password, ...(email && { email }), auth } } };
  const entries = new Map([[dockerConfigKey, new TextEncoder().encode(JSON.stringify(config))]]);
  return secretOf(context, { name, type, entries });
}
