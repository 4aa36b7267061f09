import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@coracle/base';
import { afterAll } from 'vitest';
import { type ClusterPki, openClusterPki } from '../pki/cluster-pki.js';
import { systemClock } from '../system-clock.js';
import { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.js';

/** A server for all tests of a file, with its own certificates. Both are removed after the last one. */
export async function serveTests(
  options: Pick<HttpServerOptions, 'exchange' | 'patience' | 'onUpgrade'>,
): Promise<{ readonly server: HttpServer; readonly pki: ClusterPki }> {
  const folder = await mkdtemp(join(tmpdir(), 'coracle-https-'));
  const pki = await openClusterPki({ folder, clock: systemClock, serviceAddress: '10.96.0.1' });
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    tls: { ...pki.server, clientCa: pki.ca.certificate },
    maxBodyBytes: 1024,
    logger: silentLogger,
    ...options,
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  return { server, pki };
}
