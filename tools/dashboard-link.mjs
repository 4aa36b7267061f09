import { createInterface } from 'node:readline';

/** The address of the dashboard that a child process `coracle up` prints once it is ready. */
export async function dashboardLink(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const link = /^dashboard: (\S+)/.exec(line)?.[1];
    if (link) {
      child.stdout.resume();
      return link;
    }
  }
  throw new Error('coracle ended before it was ready');
}
