import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../run.js';
import { program } from '../running-cluster.js';
import { browserName, launch, linkOf, patienceMs, visit } from './visit.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Found {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What axe finds on a page, as text. It is put in as a script of the test, past the policy of the page. */
async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as Found;
  return violations.flatMap(({ id, nodes }) => nodes.slice(0, 2).map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

describe.skipIf(!browserName)('the dashboard of `coracle up`, for all users', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'coracle-dashboard-'));
  const up = ['up', '--listen', '127.0.0.1:0', '--nodes', '2', '--runtime', 'simulated', '--store', 'memory'];
  let cluster: ReturnType<typeof spawn>;
  let browser: Browser;
  let link: string;

  beforeAll(async () => {
    cluster = spawn(process.execPath, [program, ...up, '--data-dir', dataDir], { stdio: ['ignore', 'pipe', 'ignore'] });
    link = await linkOf(cluster);
    const kubectl = ['kubectl', '--kubeconfig', join(dataDir, 'admin.kubeconfig')];
    await run(process.execPath, [program, ...kubectl, 'create', 'deployment', 'web', '--image=nginx', '--replicas=2']);
    browser = await launch();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    const ended = once(cluster, 'exit');
    cluster.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  }, 60_000);

  test('axe reports no violations, in the dark and in the light theme', async () => {
    const { page, context } = await visit(browser, link, { bypassCSP: true, colorScheme: 'dark' });
    const { origin } = new URL(link);
    const found: Record<string, string[]> = {};
    for (const theme of ['dark', 'light'] as const) {
      await page.evaluate(`localStorage.setItem('coracle-theme', '${theme}')`);
      // In the light, the pages that between them have every colour.
      for (const [path, sign] of theme === 'dark' ? pages : pages.slice(0, 5)) {
        await page.goto(origin + path);
        await page.getByText(sign).first().waitFor();
        found[`${theme} ${path}`] = await violationsOf(page);
      }
    }
    await page.goto(`${origin}/create?kind=pods`);
    await page.getByRole('textbox', { name: 'YAML' }).fill('apiVersion: v1\nkind: Pod\n');
    await page.locator('.help').getByText('object').first().waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Control+Space');
    await page.getByRole('listbox').waitFor();
    found['a list of suggestions'] = await violationsOf(page);
    expect(Object.entries(found).filter(([, problems]) => problems.length > 0)).toEqual([]);
    await context.storageState({ path: join(dataDir, 'state.json') });
    await context.close();
  }, 240_000);

  test('it is available in German, and fits a phone', async () => {
    const phone = { viewport: { width: 390, height: 800 }, locale: 'de', storageState: join(dataDir, 'state.json') };
    const { page, context } = await visit(browser, new URL(link).origin, phone);
    await page.getByRole('heading', { name: 'Übersicht' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.getByRole('button', { name: 'Menü' }).click();
    await page.getByRole('link', { name: 'Deployments' }).click();
    await page.getByRole('row', { name: /web/ }).waitFor({ timeout: patienceMs });
    await context.close();
  }, 120_000);
});

/** With a text that says that the page is complete. */
const pages: readonly (readonly [string, string | RegExp])[] = [
  ['/', 'Recent events'],
  ['/r/deployments.apps', /1 object · live/],
  ['/o/deployments.apps/default/web', '2 of 2 replicas are ready.'],
  ['/o/deployments.apps/default/web?tab=yaml', 'managedFields'],
  ['/o/deployments.apps/default/web?tab=logs', 'Before the last restart'],
  ['/o/deployments.apps/default/web?tab=edit', 'Suggestions'],
  ['/create', 'One object, or several'],
  ['/o/nodes/-/coracle-node-1', 'It is ready.'],
  ['/r/events', /objects? · live/],
  ['/how', 'Create and watch'],
  ['/network', 'Can this pod connect to that one?'],
  ['/access', 'You may create pods'],
  ['/quota', 'No quotas'],
  ['/storage', 'No claims here'],
];
