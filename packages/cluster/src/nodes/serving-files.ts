import { readFile } from 'node:fs/promises';
import { type Clock, deepEqual, every, type Logger, type Millis } from '@coracle/base';
import type { HttpServer, ServedTls } from '@coracle/platform-nodejs';

/** Files that replace the kubelet's own serving certificate. */
export interface NodeServingFiles {
  /** Certificate and key, both in PEM. */
  readonly certificate?: { readonly certFile: string; readonly keyFile: string };
  /** CA bundle that verifies client certificates. */
  readonly clientCaFile?: string;
}

type Served = Partial<Pick<ServedTls, 'certificate' | 'key' | 'clientCa'>>;

/** The files may be replaced at any time by another tool. */
const checkMs: Millis = 60_000;

export async function readServingFiles({ certificate, clientCaFile }: NodeServingFiles): Promise<Served> {
  const [cert, key, clientCa] = await Promise.all(
    [certificate?.certFile, certificate?.keyFile, clientCaFile].map((file) => file && readFile(file, 'utf8')),
  );
  return { ...(cert && key && { certificate: cert, key }), ...(clientCa && { clientCa }) };
}

/** Passes the files' content to the server when it has changed. */
export function followServingFiles(
  http: Pick<HttpServer, 'setCertificates'>,
  first: Served,
  options: { readonly files: NodeServingFiles; readonly clock: Clock; readonly logger: Logger },
): Disposable {
  const { files, clock, logger } = options;
  let shown = first;
  const look = async () => {
    const next = await readServingFiles(files);
    if (deepEqual(next, shown)) return;
    http.setCertificates(next);
    shown = next;
    logger.info('the kubelet serves with new certificates');
  };
  return every(clock, checkMs, () => {
    look().catch((error: unknown) =>
      logger.error('failed to read certificates; the previous ones stay in use', { error }),
    );
  });
}
