import { type ApiResponse, type Channel, goRegexp } from '@coracle/apimachinery';
import { UpgradeRefused } from '@coracle/client';
import { CommandError, ExitCode } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { messageOf } from '../command/format-error.js';
import type { LocalHttpRequest, LocalHttpResponse, LocalUpgrade } from '../host.js';
import { klogHead, logWarning } from '../klog.js';
import { joinPath } from '../paths.js';
import { filesOf } from '../resources/read-manifests.js';
import { chunksOf } from '../resources/stream-events.js';

export async function run(context: Context): Promise<void> {
  const { flags, host } = context;
  const handle = proxyHandler(context);
  const www = flags.string('www');
  if (www !== '')
    await filesOf(host)
      .stat(www)
      .catch((error: unknown) =>
        logWarning(host, 'proxy.go:200', `Failed to stat static file directory ${www}: ${messageOf(error)}`),
      );
  if (!host.network) throw new CommandError('there are no listeners on this platform');
  const socket = flags.string('unix-socket');
  const address = socket === '' ? { host: flags.string('address'), port: flags.number('port') } : { socket };
  const server = await host.network
    .serveHttp(address, handle, (upgrade) => connect(context, upgrade, filterOf(context)))
    .catch((error: unknown) => {
      throw new CommandError(messageOf(error));
    });
  try {
    print(context, `Starting to serve on ${server.address}\n`);
    await new Promise<void>((resolve) => host.interrupted.addEventListener('abort', () => resolve(), { once: true }));
  } finally {
    server[Symbol.dispose]();
  }
}

/** Handles requests: forwards those that the flags accept to the API server. */
export function proxyHandler(context: Context): (request: LocalHttpRequest) => Promise<LocalHttpResponse> {
  const filter = filterOf(context);
  return (request) => answer(context, request, filter);
}

/** Opens the stream of the API server that a request needs: exec, attach, port-forward, a watch over WebSocket. */
async function connect(context: Context, upgrade: LocalUpgrade, filter: Filter): Promise<Channel | ApiResponse> {
  const { flags, factory, host } = context;
  const prefix = flags.string('api-prefix').replace(/\/$/, '');
  if (!filter(upgrade)) return refusal(403, 'Forbidden\n');
  if (!upgrade.url.startsWith(`${prefix}/`)) return refusal(404, '404 page not found\n');
  const [path = '/', query = ''] = upgrade.url.slice(prefix.length).split(/\?(.*)/s);
  const { protocols, over } = upgrade;
  const client = await factory.client();
  try {
    return await client.connect({ path, query, protocols, ...(over && { over }), signal: host.interrupted });
  } catch (error) {
    if (error instanceof UpgradeRefused && error.answer) return error.answer;
    return refusal(502, `${messageOf(error)}\n`);
  }
}

function refusal(status: number, text: string): ApiResponse {
  const chunks = [new TextEncoder().encode(text)];
  return { status, headers: { 'content-type': 'text/plain' }, body: { kind: 'bytes', chunks } };
}

type Filter = (request: Pick<LocalHttpRequest, 'host' | 'url' | 'method'>) => boolean;

/** The accepted requests. */
function filterOf({ flags, host }: Context): Filter {
  const patterns = (name: string) =>
    flags
      .string(name)
      .split(',')
      .filter(Boolean)
      .map((text) => {
        try {
          return goRegexp(text);
        } catch (error) {
          host.stderr.write(
            `${klogHead(host, 'E', 'proxy_server.go:83').replace('E', 'F')}Error compiling re: ${messageOf(error)}\n`,
          );
          throw new ExitCode(255);
        }
      });
  const [hosts, paths, badPaths, badMethods] = ['accept-hosts', 'accept-paths', 'reject-paths', 'reject-methods'].map(
    patterns,
  );
  if (flags.bool('disable-filter')) return () => true;
  const any = (list: ReturnType<typeof patterns> | undefined, text: string) =>
    (list ?? []).some((one) => one.test(text));
  return ({ host: name, url, method }) => {
    const path = url.split('?')[0] ?? '';
    const bare = name.replace(/:\d+$/, '');
    return any(hosts, bare) && any(paths, path) && !any(badPaths, path) && !any(badMethods, method);
  };
}

function plain(status: number, text: string): LocalHttpResponse {
  return { status, headers: { 'content-type': 'text/plain' }, body: [new TextEncoder().encode(text)] };
}

async function answer(context: Context, request: LocalHttpRequest, filter: Filter): Promise<LocalHttpResponse> {
  const { flags, factory, host } = context;
  if (!filter(request)) return plain(403, 'Forbidden\n');
  const [path = '/'] = request.url.split('?');
  const staticPrefix = flags.string('www-prefix');
  if (flags.string('www') !== '' && path.startsWith(staticPrefix))
    return staticFile(context, path.slice(staticPrefix.length));
  const prefix = flags.string('api-prefix').replace(/\/$/, '');
  if (!request.url.startsWith(`${prefix}/`)) return plain(404, '404 page not found\n');
  const headers: Record<string, string> = {};
  for (const name of ['accept', 'content-type', 'if-none-match'])
    if (request.headers[name]) headers[name] = request.headers[name] ?? '';
  const signal = request.signal ? AbortSignal.any([host.interrupted, request.signal]) : host.interrupted;
  const client = await factory.client();
  const response = await client.exchange(request.method, request.url.slice(prefix.length), {
    headers,
    ...(request.body.length > 0 && {
      body: request.body,
      ...(headers['content-type'] && { contentType: headers['content-type'] }),
    }),
    signal,
  });
  const { body } = response;
  const { 'content-length': _, 'content-encoding': __, 'transfer-encoding': ___, ...otherHeaders } = response.headers;
  const chunks = body.kind === 'stream' ? chunksOf(body.stream, signal) : body.kind === 'bytes' ? body.chunks : [];
  return { status: response.status, headers: otherHeaders, body: chunks };
}

async function staticFile({ flags, host }: Context, path: string): Promise<LocalHttpResponse> {
  const clean = joinPath('/', decodeURIComponent(path));
  try {
    return { status: 200, headers: {}, body: [await filesOf(host).read(joinPath(flags.string('www'), clean))] };
  } catch {
    return plain(404, '404 page not found\n');
  }
}
