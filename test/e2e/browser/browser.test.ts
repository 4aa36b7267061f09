import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { isInstalled } from '../run.js';
import { RunningCluster } from '../running-cluster.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const browser = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => isInstalled(name, ['--version']));

/** A bundle of a page for browsers. Bundling fails on anything that only Node.js has. */
async function bundled(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: here, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

test('a page that uses little gets little', async () => {
  const whole = await bundled("import * as all from 'coracle/browser'; console.log(all);");
  const little = await bundled(
    `import { createClient, createFetchTransport } from 'coracle/browser';
     const client = createClient({ transport: createFetchTransport() });
     console.log(await client.pods('default').list());`,
  );
  expect(little.length).toBeLessThan(100_000);
  expect(little.length).toBeLessThan(whole.length / 3);
});

describe.skipIf(!browser)('in Chromium', () => {
  test('a page reads, writes, follows and reconciles a cluster', async () => {
    const home = mkdtempSync(join(tmpdir(), 'coracle-browser-'));
    const tokens = join(home, 'tokens.csv');
    writeFileSync(tokens, 'page-token,admin,1,"system:masters"\n');
    const flags = ['--nodes', '0', '--token-auth-file', tokens, '--cors-allowed-origins', '^http://127\\.0\\.0\\.1:'];
    try {
      await using cluster = await RunningCluster.start({ flags });
      const report = await visit({ home, settings: { server: cluster.url, token: 'page-token' } });
      expect(report).toEqual({
        namespaces: ['default', 'kube-node-lease', 'kube-public', 'kube-system'],
        missing: true,
        refused: 'Unauthorized',
        seen: ['added from-a-page', 'updated from-a-page yes', 'deleted from-a-page yes'],
        isBrowser: true,
      });
    } finally {
      rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  }, 90_000);
});

interface Visit {
  readonly home: string;
  readonly settings: object;
}

/** Opens the page in a headless browser, and returns its results. */
async function visit({ home, settings }: Visit): Promise<unknown> {
  const script = await bundled("import './page.js';");
  let resolveReport: (report: unknown) => void = () => {};
  const report = new Promise<unknown>((resolve) => {
    resolveReport = resolve;
  });
  const server = createServer(async (request, response) => {
    if (request.url === '/report') resolveReport(JSON.parse(await textOf(request)));
    response.setHeader('content-type', typeOf(request.url));
    response.end(contentOf(request.url, { script, settings }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const chromium = spawn(
    browser ?? '',
    // Browsers do not trust the certificate of the cluster, and tests may run as root, where no sandbox is possible.
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--ignore-certificate-errors',
    ].concat(['--no-first-run', `--user-data-dir=${join(home, 'profile')}`, `http://127.0.0.1:${port}/`]),
    { stdio: 'ignore' },
  );
  const ended = once(chromium, 'exit');
  try {
    return await Promise.race([report, ended.then(() => 'the browser ended')]);
  } finally {
    chromium.kill('SIGTERM');
    await ended;
    close(server);
  }
}

function contentOf(url: string | undefined, { script, settings }: { script: string; settings: object }): string {
  if (url === '/page.js') return script;
  if (url === '/settings') return JSON.stringify(settings);
  return '<!doctype html><title>Coracle</title><script type="module" src="/page.js"></script>';
}

function typeOf(url: string | undefined): string {
  return url === '/page.js' ? 'text/javascript' : url === '/settings' ? 'application/json' : 'text/html';
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

function close(server: Server): void {
  server.closeAllConnections();
  server.close();
}
