import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { isInstalled } from '../run.js';
import { program } from '../running-cluster.js';

/** Debian's, or another one that is there. */
export const browserName = ['chromium', 'chromium-browser', 'google-chrome'].find((name) =>
  isInstalled(name, ['--version']),
);

/** How long anything may take on a machine that has a lot else to do. */
export const patienceMs = 30_000;

export function launch(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: `/usr/bin/${browserName}`,
    // Tests may run as root, where no sandbox can be.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', ...flags],
    timeout: 60_000,
  });
}

/** `coracle dashboard` in a separate process. */
export class RunningDashboard implements AsyncDisposable {
  readonly link: string;
  readonly #process: ChildProcess;

  private constructor(link: string, process: ChildProcess) {
    this.link = link;
    this.#process = process;
  }

  static async start(kubeconfig: string, flags: readonly string[] = []): Promise<RunningDashboard> {
    const args = [program, 'dashboard', '--kubeconfig', kubeconfig, ...flags];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    return new RunningDashboard(await linkOf(child), child);
  }

  get origin(): string {
    return new URL(this.link).origin;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
  }
}

/** The address that a process prints behind `dashboard:`. */
export async function linkOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the output of the process is not to be read');
  for await (const line of createInterface({ input: child.stdout })) {
    const link = /^dashboard: (\S+)/.exec(line)?.[1];
    if (link === undefined) continue;
    child.stdout.resume();
    return link;
  }
  throw new Error('the process ended without a dashboard');
}

/** A browser that has logged in by the link, and all of its errors. */
export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly problems: string[];
  /** Answers of the server that were refusals. */
  readonly refusals: string[];
}

export async function visit(
  browser: Browser,
  link: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en', ...options });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const problems: string[] = [];
  const refusals: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  // What a page fails with while it is drawn is caught by the page, and written here.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  page.on('dialog', (dialog) => {
    problems.push(`a dialog was opened: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('response', (response) => {
    if (response.status() >= 400) refusals.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(link);
  await page.getByRole('heading', { name: /Overview|Übersicht/ }).waitFor();
  return { context, page, problems, refusals };
}
