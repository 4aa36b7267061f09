import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'proxy',
  short: 'Run a proxy to the API server',
  usage: 'kubectl proxy [--port=PORT] [--www=static-dir] [--www-prefix=prefix] [--api-prefix=prefix] [options]',
  flags: [
    `
    --accept-hosts string=^localhost$,^127\\.0\\.0\\.1$,^\\[::1\\]$ Pattern of the Host headers that the proxy accepts.
    --accept-paths string=^.* Pattern of the paths that the proxy accepts.
    --address string=127.0.0.1 Address to listen on.
    --api-prefix string=/ Prefix under which the API is served.
    --append-server-path bool=false Append the path of the context's server to each request.
    --disable-filter bool=false Accept every request. Dangerous: anyone who reaches the port has your rights.
    --keepalive duration=0s Keep-alive period of connections; 0 disables it.
    -p, --port int=8001 Port to listen on; 0 takes a free one.
    --reject-methods string=^$ Pattern of the methods that the proxy rejects.
    --reject-paths string=^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach Pattern of the paths that the proxy rejects, even if they are accepted otherwise.
    -u, --unix-socket string Unix socket to listen on.
    -w, --www string Directory of static files to serve.
    -P, --www-prefix string=/static/ Prefix of the static files.
  `,
  ],
  run: () => import('../commands/proxy.js'),
};
