import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@coracle/client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf } from '../client-of.js';
import { RunningCluster } from '../running-cluster.js';
import { browserName, launch, patienceMs, RunningDashboard, visit } from './visit.js';

const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>';

describe.skipIf(!browserName)('the dashboard and those who should not get in', () => {
  let home: string;
  let cluster: RunningCluster;
  let admin: { readonly client: Client } & AsyncDisposable;
  let browser: Browser;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'coracle-dashboard-'));
    writeFileSync(join(home, 'tokens.csv'), 'tenant-token,tenant,2,\n');
    const flags = ['--nodes', '1', '--runtime', 'simulated', '--store', 'memory', '--dashboard', 'false'];
    cluster = await RunningCluster.start({ flags: [...flags, '--token-auth-file', join(home, 'tokens.csv')] });
    admin = await clientOf(cluster.kubeconfig);
    // `evil.example` is this machine: as after DNS rebinding.
    browser = await launch(['--host-resolver-rules=MAP evil.example 127.0.0.1']);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await admin?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  }, 60_000);

  test('a user of one namespace sees that one, and no request is rejected repeatedly', async () => {
    const { client } = admin;
    await client.namespaces().create({ metadata: { name: 'mine' } });
    await client.namespaces().create({ metadata: { name: 'theirs' } });
    for (const namespace of ['mine', 'theirs'])
      await client.resource(configMaps, namespace).create({ metadata: { name: `map-of-${namespace}` } });
    await client.raw('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/mine/rolebindings', { body: viewer });
    const kubeconfig = join(home, 'tenant.kubeconfig');
    writeFileSync(kubeconfig, tenantKubeconfig(cluster.url));
    await using dashboard = await RunningDashboard.start(kubeconfig);
    const { page, refusals, problems, context } = await visit(browser, dashboard.link);
    expect(await page.getByRole('link', { name: 'Nodes', exact: true }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Secrets', exact: true }).count()).toBe(0);
    await page.goto(`${dashboard.origin}/r/configmaps`);
    await page.getByRole('gridcell', { name: 'map-of-mine' }).waitFor();
    expect(await page.getByText('map-of-theirs').count()).toBe(0);
    await page.goto(`${dashboard.origin}/o/configmaps/mine/map-of-mine`);
    await page.getByText('It exists, and reports no problems.').waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await page.goto(`${dashboard.origin}/r/nodes`);
    await page.getByText('You may not list Nodes').waitFor();
    // The page checks once whether the cluster is Coracle, which this user may not read: only that request is denied.
    expect(refusals.filter((one) => !one.endsWith('/debug/coracle/history'))).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  }, 120_000);

  test('names, annotations, events and logs of others stay text', async () => {
    const { client } = admin;
    await client.configMaps('default').create({
      metadata: { name: 'bad', annotations: { evil: hostile }, labels: { ok: 'yes' } },
      data: { evil: hostile },
    });
    await client.raw('POST', '/api/v1/namespaces/default/events', { body: badEvent });
    await using dashboard = await RunningDashboard.start(cluster.kubeconfig);
    const { page, problems, context } = await visit(browser, dashboard.link);
    await page.getByText(hostile).first().waitFor();
    await page.goto(`${dashboard.origin}/o/configmaps/default/bad`);
    await page.getByText(hostile).first().waitFor();
    await page.goto(`${dashboard.origin}/o/configmaps/default/bad?tab=yaml`);
    await page.getByLabel('YAML').waitFor();
    await page.goto(`${dashboard.origin}/r/${encodeURIComponent(hostile)}?q=${encodeURIComponent(hostile)}`);
    await page.getByText('This cluster has no kind').waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  }, 120_000);

  test('a previewed page runs no scripts and loads nothing', async () => {
    await admin.client
      .services('default')
      .create({ metadata: { name: 'evil' }, spec: { selector: { app: 'evil' }, ports: [{ port: 80 }] } });
    await using dashboard = await RunningDashboard.start(cluster.kubeconfig);
    const { page, context } = await visit(browser, dashboard.link);
    await page.route('**/services/evil:80/proxy/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: hostilePage(dashboard.origin) }),
    );
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    let isAlerted = false;
    page.on('dialog', (dialog) => {
      isAlerted = true;
      void dialog.dismiss();
    });
    await page.goto(`${dashboard.origin}/o/services/default/evil?tab=preview`);
    await page.getByRole('button', { name: 'Load' }).click();
    const frame = page.frameLocator('iframe.preview');
    await frame.getByText('still here').waitFor();
    await frame.getByRole('button', { name: 'go' }).click({ timeout: patienceMs });
    expect(await page.title()).not.toBe('taken');
    expect(await page.evaluate('localStorage.getItem("taken")')).toBeNull();
    expect(isAlerted).toBe(false);
    expect(requests.filter((url) => url.includes('stolen'))).toEqual([]);
    await context.close();
  }, 120_000);

  test('another site can neither send requests, nor frame the page, nor use another host name', async () => {
    await using dashboard = await RunningDashboard.start(cluster.kubeconfig);
    const { context } = await visit(browser, dashboard.link);
    await using site = await otherSite();
    const page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    // The browser has a session: whatever it could be made to send would be sent with it.
    await page.goto(site.url);
    const outcomes = await page.evaluate(attack, dashboard.origin);
    expect(outcomes).toEqual({ read: 'failed', write: 'failed', session: 'failed', socket: 'closed' });
    await page.setContent(`<iframe src="${dashboard.origin}/"></iframe>`, { timeout: patienceMs });
    const framed = () => page.frames().find((frame) => frame !== page.mainFrame());
    await expect.poll(() => framed()?.url()).toMatch(/^chrome-error:/);
    const rebound = await page.goto(dashboard.origin.replace('127.0.0.1', 'evil.example'));
    expect(rebound?.status()).toBe(421);
    const maps = await admin.client.resource(configMaps, 'default').list();
    expect(maps.items.map(({ metadata }) => metadata.name)).not.toContain('forged');
    await context.close();
  }, 120_000);

  test('a token of the cluster logs in on other machines', async () => {
    await using dashboard = await RunningDashboard.start(cluster.kubeconfig, ['--login', 'token']);
    const context = await browser.newContext({ locale: 'en' });
    const page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    await page.goto(dashboard.link);
    await page.getByLabel('Bearer token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('the cluster does not accept this token').waitFor();
    await page.getByLabel('Bearer token').fill('tenant-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText(/· tenant$/).waitFor();
    await context.close();
  }, 120_000);
});

/** Tries to run scripts, to read the page around it, to send a form and to load from elsewhere. */
function hostilePage(origin: string): string {
  return `<script>parent.document.title = 'taken'; localStorage.setItem('taken', 'yes'); alert(1)</script>
    <img src="https://evil.example/stolen.png" onerror="parent.document.title = 'taken'">
    <link rel="stylesheet" href="https://evil.example/stolen.css">
    <iframe src="${origin}/stolen"></iframe>
    <form action="${origin}/stolen" method="post"><button>go</button></form>
    <p>still here</p>`;
}

/** Runs in a page of another origin. All of its attempts must fail. */
async function attack(origin: string): Promise<Record<string, string>> {
  const tried = async (what: () => Promise<Response>) =>
    what().then(
      (response) => (response.ok ? 'succeeded' : 'refused'),
      () => 'failed',
    );
  const body = JSON.stringify({ metadata: { name: 'forged' } });
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/stream`, ['stream.dashboard.coracle']);
  const closed = new Promise<string>((resolve) => {
    socket.onopen = () => resolve('opened');
    socket.onclose = () => resolve('closed');
  });
  const maps = `${origin}/cluster/api/v1/namespaces/default/configmaps`;
  return {
    read: await tried(() => fetch(maps, { credentials: 'include' })),
    write: await tried(() => fetch(maps, { method: 'POST', credentials: 'include', body })),
    session: await tried(() => fetch(`${origin}/session`, { method: 'DELETE', credentials: 'include' })),
    socket: await closed,
  };
}

async function otherSite(): Promise<{ readonly url: string } & AsyncDisposable> {
  const server: Server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Another site</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const configMaps = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };

const viewer = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'viewer' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'tenant' }],
};

const badEvent = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'bad.1', namespace: 'default' },
  involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'bad', namespace: 'default' },
  type: 'Warning',
  reason: 'Bad',
  message: hostile,
  lastTimestamp: new Date().toISOString(),
};

function tenantKubeconfig(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'tenant', user: { token: 'tenant-token' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'tenant', namespace: 'mine' } }],
    'current-context': 'c',
  });
}
