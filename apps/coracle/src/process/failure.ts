type SystemError = NodeJS.ErrnoException & { readonly port?: number; readonly address?: string };

/** An error message for the user, with a hint how to solve the problem. */
export function describeFailure(error: unknown): string {
  const { code, message, port, address, path } = error as SystemError;
  if (code === 'EADDRINUSE')
    return `coracle: port ${port} of ${address} is taken by another program\nhint: stop it, or choose another port with --listen HOST:PORT (0 takes a free one), or with --secure-port for a component by itself`;
  if (code === 'EACCES' && port !== undefined)
    return `coracle: no permission to listen on port ${port}\nhint: choose a port above 1023 with --listen HOST:PORT`;
  if (code === 'EADDRNOTAVAIL')
    return `coracle: ${address} is no address of this machine\nhint: --listen 127.0.0.1:6443 or --listen 0.0.0.0:6443`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR')
    return `coracle: ${message}\nhint: ${writableDirectory}`;
  if (code === 'ENOENT' && path !== undefined)
    return `coracle: there is no file ${path}\nhint: check the flags that name files`;
  const hint = hints[code ?? ''];
  const text = `coracle: ${message ?? String(error)}`;
  return hint === undefined ? text : `${text}\nhint: ${hint}`;
}

const writableDirectory = 'choose a directory that you may write to with --data-dir DIR';

/** Hints by the code of Coracle's own errors, whose messages have none. */
const hints: Readonly<Record<string, string>> = {
  UnusableDirectory: writableDirectory,
  Unavailable: 'is etcd running, and are --etcd-servers and its certificates right?',
};
