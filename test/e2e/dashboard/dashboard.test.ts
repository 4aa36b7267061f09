import { refs } from '@coracle/api';
import { type Client, createClient, waitForObject } from '@coracle/client';
import { createHttpTransport, loadConnection, systemClock } from '@coracle/platform-nodejs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunningCluster } from '../running-cluster.js';
import { browserName, launch, patienceMs, RunningDashboard, type Visitor, visit } from './visit.js';

describe.skipIf(!browserName)('the dashboard in Chromium', () => {
  let cluster: RunningCluster;
  let dashboard: RunningDashboard;
  let browser: Browser;
  let client: Client;
  let closeTransport: () => void;
  let visitor: Visitor;

  beforeAll(async () => {
    cluster = await RunningCluster.start({
      flags: ['--nodes', '3', '--runtime', 'simulated', '--store', 'memory', '--dashboard', 'false'],
    });
    const connection = await loadConnection({ path: cluster.kubeconfig });
    const transport = await createHttpTransport({ connection });
    closeTransport = () => transport[Symbol.dispose]();
    client = createClient({ transport });
    await client.deployments('default').create(deployment('web', 3));
    await client.pods('default').create(talker);
    await client.pods('default').create({
      ...pod('huge'),
      spec: { containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '900' } } }] },
    });
    await client
      .services('default')
      .create({ metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } });
    await untilReady('web', 3);
    await waitForObject({
      client,
      clock: systemClock,
      ref: refs.pods,
      namespace: 'default',
      name: 'talker',
      timeoutMs: patienceMs,
      until: (one) => one?.status?.phase === 'Running',
    });
    dashboard = await RunningDashboard.start(cluster.kubeconfig);
    browser = await launch();
    visitor = await visit(browser, dashboard.link);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await dashboard?.[Symbol.asyncDispose]();
    closeTransport?.();
    await cluster?.[Symbol.asyncDispose]();
  }, 60_000);

  async function untilReady(name: string, replicas: number): Promise<void> {
    await waitForObject({
      client,
      clock: systemClock,
      ref: refs.deployments,
      namespace: 'default',
      name,
      timeoutMs: patienceMs,
      until: (one) => one?.status?.readyReplicas === replicas && one.status.replicas === replicas,
    });
  }

  const open = async (path: string) => {
    await visitor.page.goto(dashboard.origin + path);
    return visitor.page;
  };
  const podOf = async (app: string) => {
    const { items } = await client.pods('default').list({ labelSelector: `app=${app}` });
    return items[0]?.metadata.name ?? '';
  };

  test('a link works once, and leaves no token in the address', async () => {
    expect(visitor.page.url()).toBe(`${dashboard.origin}/`);
    const other = await browser.newContext();
    const page = await other.newPage();
    await page.goto(dashboard.link);
    await page.getByText('one-time link').waitFor({ timeout: patienceMs });
    await other.close();
  }, 60_000);

  test('the overview shows nodes, pods and warnings, and follows them', async () => {
    const page = await open('/');
    await page.getByRole('link', { name: 'coracle-node-2', exact: true }).waitFor();
    await page.getByText('FailedScheduling').first().waitFor();
    await client.pods('default').create(pod('newcomer'));
    await page.locator('.pods a.is-running[title^="default/newcomer"]').waitFor();
    await client.pods('default').delete('newcomer');
    await page.locator('.pods a[title^="default/newcomer"]').waitFor({ state: 'detached' });
  }, 90_000);

  test('a table is searched, sorted and walked by keys', async () => {
    const page = await open('/r/pods');
    await page.getByRole('row', { name: /talker/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('talk');
    await page.getByRole('row', { name: /web-/ }).first().waitFor({ state: 'detached' });
    await page.getByText('1 of 5 objects').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('y');
    await page.getByLabel('YAML').waitFor();
    expect(page.url()).toContain('/o/pods/default/talker?tab=yaml');
    await page.getByRole('heading', { name: 'talker' }).click();
    await page.keyboard.press(':');
    await page.keyboard.type('deploy');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /web/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/r/deployments.apps');
    await page.getByRole('button', { name: 'Age' }).click();
    await page.getByRole('columnheader', { name: /Age/ }).and(page.locator('[aria-sort=ascending]')).waitFor();
  }, 90_000);

  test('custom resources have their own columns', async () => {
    await client.raw('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: boats });
    await waitForObject({
      client,
      clock: systemClock,
      ref: refs.customResourceDefinitions,
      name: 'boats.example.org',
      timeoutMs: patienceMs,
      until: (one) =>
        one?.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false,
    });
    const body = { apiVersion: 'example.org/v1', kind: 'Boat', metadata: { name: 'nut' }, spec: { crew: 1 } };
    await expect
      .poll(async () => (await client.raw('POST', '/apis/example.org/v1/namespaces/default/boats', { body })).status, {
        timeout: patienceMs,
      })
      .toBe(201);
    const page = await open('/r/boats.example.org');
    await page.getByRole('columnheader', { name: 'Crew' }).waitFor();
    await page.getByRole('row', { name: /nut/ }).waitFor();
  }, 90_000);

  test('an edit is previewed, saved, and rebased on changes of others', async () => {
    const page = await open('/o/deployments.apps/default/web?tab=edit');
    const editor = page.getByRole('textbox', { name: 'YAML' });
    await editor.waitFor();
    const replaceIn = async (from: string, to: string) => editor.fill((await editor.inputValue()).replace(from, to));
    await replaceIn('replicas: 3', 'replicas: 4');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.locator('.diff .added', { hasText: 'replicas: 4' }).first().waitFor();
    expect((await client.deployments('default').get('web')).spec?.replicas).toBe(3);
    await client
      .deployments('default')
      .patch('web', { metadata: { labels: { by: 'somebody-else' } } }, { type: 'merge' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Put my changes on top of theirs' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { metadata, spec } = await client.deployments('default').get('web');
    expect([metadata.labels?.['by'], spec?.replicas]).toEqual(['somebody-else', 4]);
    await editor.click();
    await page.locator('.help').getByText('string').first().waitFor();
  }, 90_000);

  test('an editor offers the fields and values of the schema', async () => {
    const page = await open('/o/deployments.apps/default/web?tab=edit');
    const editor = page.getByRole('textbox', { name: 'YAML' });
    await page.locator('.help').getByText('string').first().waitFor();
    // Behind `image: nginx`.
    await editor.evaluate(
      (element: { value: string; focus(): void; setSelectionRange(a: number, b: number): void }) => {
        const at = element.value.indexOf('image: nginx') + 'image: nginx'.length;
        element.focus();
        element.setSelectionRange(at, at);
      },
    );
    await page.keyboard.press('Enter');
    await page.keyboard.type('tt');
    await page.getByRole('option', { name: 'tty boolean' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'true' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await expect.poll(() => editor.inputValue()).toMatch(/- image: nginx\n +tty: false\n/);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: /livenessProbe/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    expect(page.url()).toContain('tab=edit');
  }, 90_000);

  test('objects are created from YAML', async () => {
    const page = await open('/create?kind=configmaps&ns=default');
    const editor = page.getByRole('textbox', { name: 'YAML' });
    const more = '---\napiVersion: v1\nkind: Nonsense\nmetadata:\n  name: none\n';
    const first = (await editor.inputValue()).replace('name: \n', 'name: typed\n');
    await editor.fill(`${first}data:\n  key: value\n${more}`);
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('would work').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('the cluster has no kind v1 Nonsense').waitFor();
    await page.getByRole('link', { name: 'ConfigMap typed' }).click();
    await page.getByRole('heading', { name: 'Data' }).waitFor();
    await page.locator('.entry pre', { hasText: 'value' }).waitFor();
  }, 90_000);

  test('the page of an object shows its pods, its usage and its dependents, live', async () => {
    const metered = deployment('metered', 1);
    const usage = { 'simulation.coracle.dev/cpu-usage': '250m', 'simulation.coracle.dev/memory-usage': '64Mi' };
    const template = { ...metered.spec.template, metadata: { labels: { app: 'metered' }, annotations: usage } };
    await client.deployments('default').create({ ...metered, spec: { ...metered.spec, template } });
    await untilReady('metered', 1);
    const page = await open('/o/deployments.apps/default/metered');
    const boxes = page.locator('.graph rect');
    await expect.poll(() => boxes.count(), { timeout: patienceMs }).toBe(3);
    await client.deployments('default').patch('metered', { spec: { replicas: 3 } }, { type: 'merge' });
    await expect.poll(() => boxes.count(), { timeout: patienceMs }).toBe(5);
    await page.getByRole('link', { name: 'Pods (3)' }).waitFor();
    await page.getByRole('img', { name: /^CPU: now 0\.[257]/ }).waitFor({ timeout: 90_000 });
    await open(`/o/nodes/-/coracle-node-1`);
    await page.getByText('It is ready.').waitFor();
    await page.getByRole('img', { name: /^Memory: now/ }).waitFor({ timeout: 90_000 });
    await client.deployments('default').delete('metered');
  }, 240_000);

  test('values of secrets are shown on request', async () => {
    await client.raw('POST', '/api/v1/namespaces/default/secrets', {
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { password: 'open <b>sesame' } },
    });
    const page = await open('/o/secrets/default/key');
    const show = page.getByRole('button', { name: 'Show password' });
    await show.waitFor();
    expect(await page.getByText('sesame').count()).toBe(0);
    await show.click();
    await page.locator('.entry pre', { hasText: 'open <b>sesame' }).waitFor();
  }, 90_000);

  test('events have the newest first, and tiles of the overview find their pods', async () => {
    const page = await open('/r/events');
    await page
      .getByRole('columnheader', { name: /Last Seen/ })
      .and(page.locator('[aria-sort=ascending]'))
      .waitFor();
    await page
      .getByRole('gridcell', { name: /^\d+[smh]/ })
      .first()
      .waitFor();
    await open('/');
    await page
      .getByRole('link', { name: /Waiting/ })
      .first()
      .click();
    await page.getByRole('row', { name: /huge/ }).waitFor();
    expect(await page.getByRole('row', { name: /talker/ }).count()).toBe(0);
  }, 90_000);

  test('a deployment is scaled, restarted and rolled back', async () => {
    const page = await open('/o/deployments.apps/default/web');
    await page.getByRole('button', { name: 'Scale' }).click();
    await page.getByRole('dialog').getByLabel('Replicas').fill('2');
    await page.getByRole('dialog').getByRole('button', { name: 'Scale' }).click();
    await page.getByText('2 of 2 replicas are ready.').waitFor();
    await page.getByRole('button', { name: 'Restart', exact: true }).click();
    await page.getByText('A rollout of new pods has begun.').waitFor();
    await expect
      .poll(async () => (await client.deployments('default').get('web')).status?.observedGeneration, {
        timeout: patienceMs,
      })
      .toBeGreaterThan(2);
    await page.getByRole('button', { name: 'Roll back' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('row').nth(2).getByRole('button', { name: 'Roll back' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Rollout' }).click();
    await page.getByRole('button', { name: 'Replay from the history' }).click();
    await page.locator('.rollout-set').nth(1).waitFor();
  }, 120_000);

  test('logs are followed, searched, and never become anything but text', async () => {
    const page = await open('/o/pods/default/talker?tab=logs');
    await page.locator('.log-line', { hasText: '<b>bold</b> second' }).waitFor();
    await page.getByLabel('Search the logs').fill('second');
    await page.locator('.log mark', { hasText: 'second' }).waitFor();
    await page.locator('.log-line', { hasText: 'first line' }).waitFor({ state: 'detached' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('talker.log');
  }, 90_000);

  test('a terminal runs commands', async () => {
    const page = await open(`/o/pods/default/${await podOf('web')}?tab=terminal`);
    await page.locator('.xterm-rows', { hasText: '#' }).waitFor();
    await page.locator('.xterm-helper-textarea').focus();
    await page.keyboard.type('echo hello from the page');
    await page.keyboard.press('Enter');
    // Once as it was typed, and once as the answer.
    await page.locator('.xterm-rows', { hasText: /hello from the page[\s\S]*hello from the page/ }).waitFor();
  }, 90_000);

  test('a port is previewed through the API, for pods and services', async () => {
    const page = await open('/o/services/default/web?tab=preview');
    await page.getByRole('button', { name: 'Load' }).click();
    await page.getByText(/^200 text\/plain/).waitFor();
    expect(await page.getByRole('textbox', { name: 'Preview' }).inputValue()).toMatch(
      /^This is the simulated pod default\/web-/,
    );
    await open('/o/pods/default/talker?tab=preview');
    await page.getByText('It declares no TCP port.').waitFor();
  }, 90_000);

  test('a pod that is created on the page shows its steps', async () => {
    const page = await open('/how');
    await page.getByLabel('Name').fill('watched');
    await page.getByRole('button', { name: 'Create and watch' }).click();
    await page.locator('.steps li.is-there', { hasText: 'Kubelet' }).getByText('phase=Running').waitFor();
    await page.locator('.steps li.is-there', { hasText: 'Network' }).first().waitFor();
    await page.getByText('packages/apiserver/src/filters/authorize.ts').first().waitFor();
    await open('/o/pods/default/huge?tab=scheduling');
    await page.locator('.matrix .no', { hasText: 'Insufficient cpu' }).first().waitFor();
  }, 90_000);

  test('pages show the past state of the cluster, and the changes since then', async () => {
    const { metadata } = await client.configMaps('default').create({ metadata: { name: 'later' } });
    const before = String(Number(metadata.resourceVersion) - 1);
    const page = await open(`/r/configmaps?at=${before}`);
    await page.getByText('as it was').waitFor();
    expect(await page.getByRole('gridcell', { name: 'later' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByRole('gridcell', { name: 'later' }).waitFor();
    await open(`/compare?a=${before}`);
    await page.getByRole('row', { name: /created ConfigMap default\/later/ }).waitFor();
  }, 90_000);

  test('network, access, quota and storage have their pages', async () => {
    await client.raw('POST', '/api/v1/namespaces/default/resourcequotas', {
      body: {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'team' },
        spec: { hard: { configmaps: '20' } },
      },
    });
    await client.raw('POST', '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies', {
      body: {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'closed' },
        spec: { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'] },
      },
    });
    const page = await open('/network');
    await page.getByRole('row', { name: /web/ }).locator('a.is-running').first().waitFor();
    await page.getByLabel('From').selectOption('default/talker');
    await page.getByRole('combobox', { name: 'To' }).selectOption(`default/${await podOf('web')}`);
    await page.getByRole('status').getByRole('link', { name: 'default/closed' }).waitFor();
    await open('/access');
    await page.getByText('You may create pods').waitFor();
    await page
      .getByRole('row', { name: /system:masters/ })
      .first()
      .waitFor();
    await open('/quota');
    await page.getByRole('link', { name: 'default/team' }).waitFor();
    await open('/storage');
    await page.getByRole('heading', { name: 'Claims' }).waitFor();
  }, 90_000);

  test('a deletion shows its dependents, and then deletes them', async () => {
    await client.deployments('default').create(deployment('doomed', 2));
    await untilReady('doomed', 2);
    const page = await open('/o/deployments.apps/default/doomed');
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('3 dependents are deleted with it:').waitFor();
    await dialog.getByText('ReplicaSet').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deployment doomed does not exist').waitFor();
    await expect
      .poll(async () => (await client.pods('default').list({ labelSelector: 'app=doomed' })).items.length, {
        timeout: patienceMs,
      })
      .toBe(0);
  }, 90_000);

  test('there were no errors', () => {
    expect(visitor.problems).toEqual([]);
  });
});

function deployment(name: string, replicas: number) {
  return {
    metadata: { name, labels: { app: name } },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } },
    },
  };
}

function pod(name: string) {
  return {
    metadata: { name, labels: { app: name } },
    spec: { containers: [{ name: 'main', image: 'busybox' }] },
  };
}

/** What it writes would do harm in a page that took it for anything but text. */
const talker = {
  metadata: {
    name: 'talker',
    annotations: { 'simulation.coracle.dev/logs': 'first line\n<b>bold</b> second <img src=x onerror=alert(1)>\n' },
  },
  spec: { containers: [{ name: 'main', image: 'busybox' }] },
};

const boats = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Crew', type: 'integer', jsonPath: '.spec.crew' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { crew: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
};
