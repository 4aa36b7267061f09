import { type Clock, DisposableStack, type Logger } from '@coracle/base';
import type { KubeletSettings, NodeServer } from '@coracle/kubelet';
import { type HttpServer, type KeyPair, serveUpgrades, startHttpServer } from '@coracle/platform-nodejs';
import { followServingFiles, type NodeServingFiles, readServingFiles } from './serving-files.js';

/** Address and certificate of a kubelet's server. */
export interface NodeServing {
  /** All addresses unless stated. */
  readonly host?: string;
  /** 10250, or a free one if that is in use, by default; 0 for a free one. */
  readonly port?: number;
  readonly certificate: KeyPair;
  /** CA bundle that verifies client certificates, such as that of the API server. */
  readonly clientCa: string;
}

const usualPort = 10250;

/** Opens a kubelet's HTTPS port. */
export async function serveNode(
  { host = '0.0.0.0', port, certificate, clientCa }: NodeServing,
  server: () => NodeServer,
  logger: Logger,
): Promise<HttpServer> {
  const listen = (port: number) =>
    startHttpServer({
      exchange: (request) => server().exchange(request),
      onUpgrade: serveUpgrades((request, protocols) => server().connect(request, protocols)),
      host,
      port,
      tls: { ...certificate, clientCa },
      logger,
    });
  if (port !== undefined) return listen(port);
  try {
    return await listen(usualPort);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    logger.info('The kubelet port is in use; using another one', { port: usualPort });
    return listen(0);
  }
}

/** The same with the content of files, which may change while it serves. */
export async function serveNodeWithFiles(
  serving: NodeServing & { readonly files?: NodeServingFiles },
  server: () => NodeServer,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<AsyncDisposable & Pick<HttpServer, 'port'>> {
  const { files } = serving;
  if (!files) return serveNode(serving, server, logger);
  const first = await readServingFiles(files);
  const { certificate, key, clientCa = serving.clientCa } = first;
  const own = certificate && key ? { certificate, key } : serving.certificate;
  const stack = new DisposableStack();
  const http = stack.use(await serveNode({ ...serving, certificate: own, clientCa }, server, logger));
  stack.use(followServingFiles(http, first, { files, clock, logger }));
  return { port: http.port, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

export interface NodePortOptions {
  /** Nowhere unless stated. */
  readonly serving?: NodeServing;
  readonly servingFiles?: NodeServingFiles;
  readonly settings?: Partial<Pick<KubeletSettings, 'enableServer'>>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The port that a node reports, and its server: none if the server is disabled. */
export async function openNodePort(
  { serving, servingFiles, settings, clock, logger }: NodePortOptions,
  server: () => NodeServer,
): Promise<AsyncDisposable & { readonly port: number | undefined }> {
  if (!serving || settings?.enableServer === false)
    return { port: serving && (serving.port ?? usualPort), [Symbol.asyncDispose]: async () => undefined };
  const withFiles = { ...serving, ...(servingFiles && { files: servingFiles }) };
  return serveNodeWithFiles(withFiles, server, { clock, logger });
}
