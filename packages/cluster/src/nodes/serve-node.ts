import type { Logger } from '@coracle/base';
import type { NodeServer } from '@coracle/kubelet';
import { type HttpServer, type KeyPair, serveUpgrades, startHttpServer } from '@coracle/platform-nodejs';

/** Where and by what certificate a kubelet serves. */
export interface NodeServing {
  /** All addresses unless stated. */
  readonly host?: string;
  /** 10250, or a free one if that is taken, unless stated; 0 takes a free one. */
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
