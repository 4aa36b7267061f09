import { readFile } from 'node:fs/promises';
import { type Clock, deepEqual, every, type Logger, type Millis } from '@coracle/base';
import type { HttpServer, ServedTls } from '@coracle/platform-nodejs';

/** Files that stand in for what a kubelet serves with otherwise. */
export interface NodeServingFiles {
  /** Certificate and key, both in PEM. */
  readonly certificate?: { readonly certFile: string; readonly keyFile: string };
  /** CA bundle that verifies client certificates. */
  readonly clientCaFile?: string;
}

type Served = Partial<Pick<ServedTls, 'certificate' | 'key' | 'clientCa'>>;

/** The files may be replaced at any time by the tool that looks after them. */
const checkMs: Millis = 60_000;

export async function readServingFiles({ certificate, clientCaFile }: NodeServingFiles): Promise<Served> {
  const [cert, key, clientCa] = await Promise.all(
    [certificate?.certFile, certificate?.keyFile, clientCaFile].map((file) => file && readFile(file, 'utf8')),
  );
  return { ...(cert && key && { certificate: cert, key }), ...(clientCa && { clientCa }) };
}

/** Gives the server what is in the files once that is something else than before. */
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
