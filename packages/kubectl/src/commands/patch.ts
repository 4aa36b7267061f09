import {
  applyJsonPatch,
  applyMergePatchToObject,
  applyStrategicMergePatch,
  badRequest,
  jsonSyntaxError,
  parseYaml,
  StatusError,
  writeJson,
} from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { messageOf } from '../command/format-error.js';
import { printerOf } from '../printers/print-flags.js';
import { dryRunOf, findOptions, writeParameters } from '../resources/common-flags.js';
import { findResources } from '../resources/find-resources.js';
import { goKind, type Info } from '../resources/info.js';
import { schemaOfObject } from '../resources/object-schema.js';
import { filesOf } from '../resources/read-manifests.js';
import { RequestHelper } from '../resources/request-helper.js';
import { type Fields, sortKeys, textAt } from '../values.js';

type PatchType = 'json' | 'merge' | 'strategic';

const types = ['json', 'merge', 'strategic'];

export async function run(context: Context): Promise<void> {
  const { flags, args, factory } = context;
  const [text, file] = [flags.string('patch'), flags.string('patch-file')];
  if (text !== '' && file !== '') throw new CommandError('cannot specify --patch and --patch-file together');
  if (text === '' && file === '')
    throw new CommandError('must specify --patch or --patch-file containing the contents of the patch');
  if (flags.bool('local') && args.length > 0) throw new CommandError('cannot specify --local and server resources');
  const type = flags.string('type').toLowerCase();
  if (!types.includes(type))
    throw new CommandError(`--type must be one of [${types.join(' ')}], not ${JSON.stringify(flags.string('type'))}`);
  const patch = parsePatch(text || (await readPatch(context, file)), type);
  const dryRun = dryRunOf(context);
  const { infos, errors } = await findResources(factory, await findOptions(context, { namesOnly: true }));
  const failures = [...errors];
  for (const info of infos) {
    try {
      await patchOne(context, info, { type: type as PatchType, patch, dryRun });
    } catch (error) {
      failures.push(error);
    }
  }
  throwCollected(failures);
  if (infos.length === 0) throw new CommandError('no objects passed to patch');
}

async function readPatch({ host }: Context, path: string): Promise<string> {
  try {
    return new TextDecoder().decode(await filesOf(host).read(path));
  } catch (error) {
    throw new CommandError(`unable to read patch file: ${messageOf(error)}`);
  }
}

/** JSON or YAML. What begins as JSON and is none is refused as the server would, when an object is patched with it. */
function parsePatch(text: string, type: string): () => unknown {
  try {
    const patch = parseYaml(text);
    return () => patch;
  } catch (error) {
    const problem = /^\s*\{/.test(text) ? jsonSyntaxError(text) : undefined;
    if (problem === undefined) throw new CommandError(`unable to parse ${JSON.stringify(text)}: ${messageOf(error)}`);
    return () => {
      throw badRequest(type === 'strategic' ? problem : `error decoding patch: ${problem}`);
    };
  }
}

interface Patching {
  readonly type: PatchType;
  /** Throws if the patch is damaged JSON. */
  readonly patch: () => unknown;
  readonly dryRun: ReturnType<typeof dryRunOf>;
}

async function patchOne(context: Context, info: Info, { type, patch, dryRun }: Patching): Promise<void> {
  const { factory, flags } = context;
  if (flags.bool('local') || dryRun === 'client') {
    const before = flags.bool('local')
      ? (info.object ?? {})
      : await new RequestHelper(await factory.client()).get(info);
    const after = await patchedLocally(before, type, patch());
    const printer = await printerOf(context, { operation: operationOf(before, after), dryRun: 'none' });
    print(context, printer.print(after));
    return;
  }
  const helper = new RequestHelper(await factory.client());
  const subresource = flags.string('subresource');
  const before = await helper.get(info, subresource ? { subresource } : {});
  const after = await helper
    .patch(info, { type, body: patch() }, writeParameters(context, dryRun))
    .catch((error: unknown) => {
      if (!(error instanceof StatusError) || error.status.reason !== 'UnsupportedMediaType' || !info.mapping)
        throw error;
      throw new CommandError(
        `application/${type}-merge-patch+json is not supported by ${goKind(info.mapping)}: ${error.message}`,
      );
    });
  const printer = await printerOf(context, { operation: operationOf(before, after), dryRun: 'none' });
  print(context, printer.print(after));
}

function operationOf(before: Fields, after: Fields): string {
  return writeJson(sortKeys(before)) === writeJson(sortKeys(after)) ? 'patched (no change)' : 'patched';
}

/** The object with the patch applied, without a server. */
async function patchedLocally(object: Fields, type: PatchType, patch: unknown): Promise<Fields> {
  if (type === 'json') return applyJsonPatch(object, patch);
  if (type === 'merge') return applyMergePatchToObject(object, patch);
  const schema = await schemaOfObject(object);
  if (!schema)
    throw new StatusError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'UnsupportedMediaType',
      code: 415,
      message: `strategic merge patch is not supported for ${textAt(object, 'kind')}`,
    });
  return applyStrategicMergePatch(object, patch, schema);
}
