#!/usr/bin/env node
// Takes the pictures of the dashboard that the README shows: `npm run pictures`. It needs a build and Chromium.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { dashboardLink } from './dashboard-link.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const program = join(root, 'apps/coracle/dist/coracle.js');
const folder = process.argv[2] ?? join(root, 'docs/pictures');
const dataDir = mkdtempSync(join(tmpdir(), 'coracle-pictures-'));
const flags = ['up', '--listen', '127.0.0.1:0', '--nodes', '6', '--runtime', 'simulated', '--store', 'memory'];
const cluster = spawn(process.execPath, [program, ...flags, '--data-dir', dataDir], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });

/** Name, address, and a text that says that the page is complete. */
const pictures = [
  ['overview', '/', 'FailedScheduling'],
  ['deployment', '/o/deployments.apps/default/web', 'replicas are ready'],
  ['scheduling', '/o/pods/default/huge?tab=scheduling', 'Insufficient cpu'],
];

try {
  const link = await dashboardLink(cluster);
  for (const [name, replicas] of [
    ['web', 14],
    ['api', 9],
    ['worker', 22],
  ])
    kubectl('create', 'deployment', name, '--image=nginx', `--replicas=${replicas}`);
  kubectl('expose', 'deployment', 'web', '--port=80');
  kubectl(
    'run',
    'huge',
    '--image=nginx',
    '--overrides',
    JSON.stringify({
      spec: { containers: [{ name: 'huge', image: 'nginx', resources: { requests: { cpu: '900' } } }] },
    }),
  );
  mkdirSync(folder, { recursive: true });
  const context = await browser.newContext({
    viewport: { width: 1180, height: 720 },
    colorScheme: 'dark',
    locale: 'en',
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(link);
  for (const [name, address, sign] of pictures) {
    await page.goto(new URL(link).origin + address);
    await page.getByText(sign).first().waitFor();
    await page.waitForTimeout(1000);
    await page.screenshot({ path: join(folder, `${name}.png`) });
  }
  await page.goto(`${new URL(link).origin}/how`);
  await page.getByRole('button', { name: 'Create and watch' }).click();
  await page.getByText('phase=Running').waitFor();
  await page.screenshot({ path: join(folder, 'how.png') });
  await page.evaluate("localStorage.setItem('coracle-theme', 'light')");
  await page.goto(`${new URL(link).origin}/r/deployments.apps`);
  await page.getByText('live').waitFor();
  await page.screenshot({ path: join(folder, 'light.png') });
} finally {
  await browser.close();
  cluster.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
}

function kubectl(...args) {
  execFileSync(process.execPath, [program, 'kubectl', '--kubeconfig', join(dataDir, 'admin.kubeconfig'), ...args]);
}
