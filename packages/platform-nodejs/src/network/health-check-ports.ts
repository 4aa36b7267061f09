import { createServer, type Server } from 'node:http';
import { type Logger, messageOf } from '@coracle/base';
import type { HealthCheckPorts, ServiceHealth } from '@coracle/proxy';

/** An HTTP server on each health check port, which reports to load balancers whether the node has endpoints of a service. */
export function healthCheckPorts({ logger }: { readonly logger: Logger }): HealthCheckPorts {
  const servers = new Map<number, Server>();
  const checks = new Map<number, ServiceHealth>();
  const listen = (port: number) => {
    const server = createServer((_, response) => {
      const check = checks.get(port);
      const count = check?.localEndpoints ?? 0;
      response.writeHead(count > 0 ? 200 : 503, {
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
        'x-load-balancing-endpoint-weight': String(count),
      });
      response.end(
        JSON.stringify({
          service: { namespace: check?.namespace, name: check?.name },
          localEndpoints: count,
          serviceProxyHealthy: true,
        }),
      );
    });
    server.on('error', (error) => {
      servers.delete(port);
      logger.error('failed to serve a health check node port', { port, error: messageOf(error) });
    });
    server.listen(port, '::');
    servers.set(port, server);
  };
  return {
    async serve(services) {
      checks.clear();
      for (const check of services) checks.set(check.port, check);
      for (const [port, server] of servers) {
        if (checks.has(port)) continue;
        servers.delete(port);
        server.close();
        server.closeAllConnections();
      }
      for (const port of checks.keys()) if (!servers.has(port)) listen(port);
    },
  };
}
