import { CommandError } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { RequestHelper } from '../resources/request-helper.js';
import { type Fields, formatYaml, textAt } from '../values.js';
import { clientVersion, kustomizeVersion } from '../version.js';

export async function run(context: Context): Promise<void> {
  const { flags, args, factory, host } = context;
  if (args.length > 0) throw new CommandError(`extra arguments: [${args.join(' ')}]`);
  const output = flags.string('output');
  if (!['', 'json', 'yaml'].includes(output)) throw new CommandError("--output must be 'yaml' or 'json'");
  const versions: Fields = { clientVersion: { ...clientVersion, platform: host.platform }, kustomizeVersion };
  let failure: unknown;
  if (!flags.bool('client')) {
    try {
      versions['serverVersion'] = await new RequestHelper(await factory.client()).send('GET', '/version');
    } catch (error) {
      failure = error;
    }
  }
  print(context, formatVersions(versions, output));
  if (failure !== undefined) throw failure;
}

function formatVersions(versions: Fields, output: string): string {
  if (output === 'json') return `${JSON.stringify(versions, null, 2)}\n`;
  if (output === 'yaml') return `${formatYaml(versions)}\n`;
  const server = textAt(versions, 'serverVersion', 'gitVersion');
  const lines = [`Client Version: ${clientVersion.gitVersion}`, `Kustomize Version: ${kustomizeVersion}`];
  if (server !== '') lines.push(`Server Version: ${server}`);
  return `${lines.join('\n')}\n${server === '' ? '' : skewWarning(versions)}`;
}

/** kubectl works with servers of the minor versions beside its own. */
function skewWarning(versions: Fields): string {
  const server = Number.parseInt(textAt(versions, 'serverVersion', 'minor'), 10);
  const client = Number.parseInt(clientVersion.minor, 10);
  if (Number.isNaN(server) || Math.abs(server - client) <= 1) return '';
  const [a, b] = [`${clientVersion.major}.${client}`, `${textAt(versions, 'serverVersion', 'major')}.${server}`];
  return `WARNING: version difference between client (${a}) and server (${b}) exceeds the supported minor version skew of +/-1\n`;
}
