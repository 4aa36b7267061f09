#!/usr/bin/env node
// Prints the figures that the dashboard is held to, in Chromium: the first page, 30,000 pods in the table, scrolling,
// a thousand changes a second, and memory. Pods are made without nodes, and changed through the API. CHROMIUM names
// another browser, or a program that starts it.
//   node benchmarks/dashboard-figures.mjs [--pods 30000] [--changes 1000] [--churn-minutes 0]
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { dashboardLink } from '../tools/dashboard-link.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const program = join(root, 'apps/coracle/dist/coracle.js');
const { createClient, createHttpTransport, loadConnection } = await import(join(root, 'apps/coracle/dist/library.mjs'));
const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '30000' },
    /** A second, while frames are counted and in the minutes of churn. */
    changes: { type: 'string', default: '1000' },
    'churn-minutes': { type: 'string', default: '0' },
  },
});
/**
 * Runs work in the page, which repaints one pixel in every frame meanwhile: Chromium draws only changes, so without it
 * an idle second would look like a frame of a second.
 */
const drawingEveryFrame = `(async (work) => {
  const pixel = document.body.appendChild(document.createElement('div'));
  pixel.style.cssText = 'position: fixed; right: 0; bottom: 0; width: 1px; height: 1px;';
  let frame = 0;
  let running = true;
  const draw = () => {
    pixel.style.background = frame++ % 2 ? '#000' : '#fff';
    if (running) requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
  await work();
  running = false;
  pixel.remove();
})`;

const count = Number(values.pods);
const changesPerSecond = Number(values.changes);
const dataDir = mkdtempSync(join(tmpdir(), 'coracle-figures-'));
const flags = ['up', '--listen', '127.0.0.1:0', '--nodes', '0', '--store', 'memory', '--data-dir', dataDir];
const cluster = spawn(process.execPath, [program, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc'],
});
try {
  const link = await dashboardLink(cluster);
  const transport = await createHttpTransport({
    connection: await loadConnection({ path: join(dataDir, 'admin.kubeconfig') }),
  });
  const client = createClient({ transport });
  row('first page, compressed', `${firstPageKilobytes()} kB`, '300 kB');
  const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage();
  await page.goto(link);
  await page.locator('.tiles, .empty').first().waitFor();
  await page.reload();
  await page.locator('h1').waitFor();
  const paint = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1");
  row('first paint', `${Math.round(paint)} ms`, '1,000 ms');
  await makePods(client);
  const shown = await untilShown(page, new URL(link).origin);
  row(`${count} pods: first rows`, `${shown.firstMs} ms`, '2,000 ms');
  row(`${count} pods: all of them`, `${shown.allMs} ms`, '–');
  const scrolled = await scroll(page);
  row('scrolling: frames a second', scrolled.fps, '60');
  row('scrolling: longest frame', `${scrolled.longestMs} ms`, '–');
  const changed = await underChanges(page, client);
  row(`${changesPerSecond} changes a second: changes made`, `${changed.perSecond} a second`, changesPerSecond);
  row(`${changesPerSecond} changes a second: longest frame`, `${changed.longestMs} ms`, '100 ms');
  row('memory of the page', `${await megabytes(page)} MB`, '400 MB');
  if (Number(values['churn-minutes']) > 0) await churn(page, client);
  transport[Symbol.dispose]?.();
} finally {
  await browser.close();
  cluster.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
}

/**
 * Everything that the page loads before it is there: the page, its style, its script with what that imports, the
 * worker.
 */
function firstPageKilobytes() {
  const folder = join(root, 'apps/coracle/dist/dashboard');
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const files = new Set([...html.matchAll(/assets\/[\w.-]+/g)].map(([path]) => path));
  const worker = readdirSync(join(folder, 'assets')).find((name) => /^worker-.*\.js$/.test(name));
  for (const [, name] of readFileSync(join(folder, 'assets', worker), 'utf8').matchAll(/from"\.\/([\w.-]+)"/g))
    files.add(`assets/${name}`);
  const bytes = [...files].reduce((sum, path) => sum + statSync(join(folder, `${path}.gz`)).size, 0);
  return Math.round(bytes / 1000);
}

function pod(i) {
  return {
    metadata: { name: nameOf(i), labels: { app: `app-${i % 50}` } },
    spec: { schedulerName: 'nobody', containers: [{ name: 'main', image: 'nginx' }] },
  };
}

function nameOf(i) {
  return `pod-${String(i).padStart(6, '0')}`;
}

async function makePods(client) {
  const next = { i: 0 };
  const worker = async () => {
    while (next.i < count) await client.pods('default').create(pod(next.i++));
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

async function untilShown(page, origin) {
  const began = Date.now();
  await page.goto(`${origin}/r/pods`);
  await page.getByRole('row', { name: /pod-000001/ }).waitFor();
  const firstMs = Date.now() - began;
  await page.waitForFunction(
    (count) => Number(document.querySelector('[role=grid]')?.getAttribute('aria-rowcount')) > count,
    count,
    { timeout: 120_000, polling: 50 },
  );
  return { firstMs, allMs: Date.now() - began };
}

function scroll(page) {
  return traced(
    page,
    `async () => {
    const grid = document.querySelector('[role=grid]');
    for (let i = 0; i < 300; i++) {
      grid.scrollTop += 400;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }`,
  );
}

/** The frames in Chromium's own tracing while work went on in the page. */
async function traced(page, work) {
  await browser.startTracing(page, {
    categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline.frame'],
  });
  await page.evaluate(`${drawingEveryFrame}(${work})`);
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
  const drawn = traceEvents.filter(({ name }) => name === 'DrawFrame').map(({ ts }) => ts / 1000);
  drawn.sort((a, b) => a - b);
  const spans = drawn.slice(1).map((at, index) => at - drawn[index]);
  const fps = Math.round((spans.length * 1000) / (drawn.at(-1) - drawn[0]));
  return { fps, longestMs: Math.round(Math.max(...spans)) };
}

async function underChanges(page, client, seconds = 10) {
  await page.evaluate("document.querySelector('[role=grid]').scrollTop = 0");
  const wait = `new Promise((resolve) => setTimeout(resolve, ${seconds * 1000}))`;
  const { made, result } = await whileChanging(client, () => traced(page, `() => ${wait}`));
  return { ...result, perSecond: Math.round(made / seconds) };
}

/** Patches the statuses of pods at the rate of --changes until work has ended. */
async function whileChanging(client, work) {
  let running = true;
  let made = 0;
  const began = performance.now();
  const change = async (lane) => {
    for (let i = lane; running; i = (i + 32) % count) {
      const due = began + made++ * (1000 / changesPerSecond) - performance.now();
      if (due > 1) await sleep(due);
      await client.pods('default').patch(nameOf(i), changed(made), { type: 'merge', subresource: 'status' });
    }
  };
  const lanes = Promise.all(Array.from({ length: 32 }, (_, lane) => change(lane)));
  const result = await work();
  running = false;
  await lanes;
  return { made, result };
}

/** Columns that are shown change: the phase, and how often the container was restarted. */
function changed(round) {
  const state = { running: { startedAt: new Date().toISOString() } };
  const containers = { name: 'main', image: 'nginx', imageID: '', ready: true, restartCount: round, state };
  return { status: { phase: 'Running', containerStatuses: [containers] } };
}

/** Of the page and its worker: the processes that draw pages, as the kernel counts their private memory. */
async function megabytes(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  await page.evaluate('globalThis.gc?.()');
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const ids = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  const sizes = ids.map((id) => {
    const text = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
    return [...text.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0);
  });
  return Math.round(Math.max(...sizes) / 1024);
}

/** Each minute's changes, and a hundred pods that come under new names, stay for that minute, and go. */
async function churn(page, client) {
  const minutes = Number(values['churn-minutes']);
  const pods = client.pods('default');
  for (let minute = 1; minute <= minutes; minute++) {
    const guests = Array.from({ length: 100 }, (_, k) => count + minute * 100 + k);
    for (const i of guests) await pods.create(pod(i));
    await whileChanging(client, () => sleep(60_000));
    for (const i of guests) await pods.delete(nameOf(i));
    row(`memory after ${minute} min of churn`, `${await megabytes(page)} MB`, 'does not grow');
  }
}

function row(name, value, goal) {
  console.log(`${name.padEnd(42)} ${String(value).padStart(14)}   (${goal})`);
}
