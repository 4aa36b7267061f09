// The scheduler under upstream's scheduler_perf workloads: pods a second, from the first create request until every pod
// has a node, API server, store and client included, all in one process of its own for each workload.
// usage: npm run bench scheduler -- [NAME …] [--nodes N] [--pods P] [--no-scale]
// --nodes, --pods: another size; pods that are there before grow and shrink with the nodes. The gates are those of the
// workloads' own sizes. --no-scale: not also at a tenth of the size, which reports how the cost of a pod grows.
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type Figures, runWorkload } from './run-workload.js';
import { resized, type Workload, workloads } from './workloads.js';

/** On ten times the nodes a pod may cost this much more. */
const mostGrowth = 2;

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    nodes: { type: 'string' },
    pods: { type: 'string' },
    'no-scale': { type: 'boolean', default: false },
    /** Runs one workload in this process, and writes its figures as JSON. */
    child: { type: 'boolean', default: false },
  },
});
const unknown = names.filter((name) => !workloads.some((one) => one.name === name));
if (unknown.length > 0)
  throw new Error(`no workload is called ${unknown.join(', ')}; there are ${workloads.map((w) => w.name).join(', ')}`);
const chosen = workloads.filter(({ name }) => names.length === 0 || names.includes(name)).map(asAsked);

if (options.child) await runInThisProcess(chosen);
else await runAll(chosen);

function asAsked(workload: Workload): Workload {
  const nodes = count('nodes') ?? workload.nodes;
  return resized(workload, { nodes, pods: count('pods') ?? workload.measured.count });
}

function count(option: 'nodes' | 'pods'): number | undefined {
  const text = options[option];
  if (text === undefined) return undefined;
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${option} must be a whole number above zero, not ${text}`);
  return Number(text);
}

async function runInThisProcess([workload]: readonly Workload[]): Promise<void> {
  if (!workload) return;
  const full = await runWorkload(workload);
  const tenth = { nodes: Math.ceil(workload.nodes / 10), pods: Math.ceil(workload.measured.count / 10) };
  const small = options['no-scale'] ? undefined : await runWorkload(resized(workload, tenth));
  process.stdout.write(`${JSON.stringify({ full, small })}\n`);
}

async function runAll(all: readonly Workload[]): Promise<void> {
  const startedAt = performance.now();
  const columns = ['workload', 'nodes', 'pods', 'pods/s', 'gate', 'ms CPU/pod', 'at a tenth', 'growth', 'verdict'];
  console.log(row(columns));
  for (const workload of all) {
    const { full, small } = await runInChild(workload);
    const growth = small && full.cpuMsPerPod / small.cpuMsPerPod;
    const isFast = full.podsPerSecond >= workload.gate;
    const isSteady = growth === undefined || growth <= mostGrowth;
    if (!isFast || !isSteady) process.exitCode = 1;
    console.log(
      row([
        workload.name,
        String(workload.nodes),
        String(workload.measured.count),
        full.podsPerSecond.toFixed(0),
        String(workload.gate),
        full.cpuMsPerPod.toFixed(2),
        small?.cpuMsPerPod.toFixed(2) ?? '-',
        growth?.toFixed(2) ?? '-',
        isFast && isSteady ? 'passed' : [...(isFast ? [] : ['TOO SLOW']), ...(isSteady ? [] : ['GROWS'])].join(', '),
      ]),
    );
  }
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0)} s in all`);
}

function row([first = '', ...others]: readonly string[]): string {
  const verdict = others.pop() ?? '';
  return `${first.padEnd(24)}${others.map((one) => one.padStart(11)).join('')}  ${verdict}`;
}

/** What one workload leaves in the heap must not slow down the next. */
async function runInChild({ name, nodes, measured }: Workload): Promise<{ full: Figures; small?: Figures }> {
  const program = process.argv[1] ?? '';
  const size = ['--nodes', String(nodes), '--pods', String(measured.count)];
  const args = [program, '--child', name, ...size, ...(options['no-scale'] ? ['--no-scale'] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`the workload ${name} ended with ${code}`);
  return JSON.parse(output) as { full: Figures; small?: Figures };
}
