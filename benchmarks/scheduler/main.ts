// The scheduler under upstream's scheduler_perf workloads: pods a second, from the first create request until every pod
// has a node, API server and store included.
// usage: npm run bench scheduler -- [NAME …] [--scale] [--tenth]
// --scale: also with a tenth of the nodes and pods, and what a pod costs on both. --tenth: only that.
import { runWorkload } from './run-workload.js';
import { tenth, type Workload, workloads } from './workloads.js';

const names = process.argv.slice(2).filter((one) => !one.startsWith('--'));
const chosen = workloads.filter(({ name }) => names.length === 0 || names.includes(name));
const unknown = names.filter((name) => !workloads.some((one) => one.name === name));
if (unknown.length > 0)
  throw new Error(
    `no workload is called ${unknown.join(', ')}; there are ${workloads.map(({ name }) => name).join(', ')}`,
  );

for (const workload of chosen) {
  if (process.argv.includes('--tenth')) {
    await report(tenth(workload), undefined);
    continue;
  }
  const full = await report(workload, workload.gate);
  if (!process.argv.includes('--scale')) continue;
  const small = await report(tenth(workload), undefined);
  const ratio = full / small;
  console.log(`${' '.repeat(4)}a pod costs ${ratio.toFixed(2)} times as much on ten times the nodes (at most 2)`);
  if (ratio > 2) process.exitCode = 1;
}

async function report(workload: Workload, gate: number | undefined): Promise<number> {
  const { podsPerSecond, cpuMsPerPod } = await runWorkload(workload);
  const verdict = gate === undefined ? '' : podsPerSecond >= gate ? `gate ${gate}: passed` : `gate ${gate}: MISSED`;
  if (verdict.endsWith('MISSED')) process.exitCode = 1;
  const { name, nodes, measured } = workload;
  const what = `${name}: ${measured.count} pods on ${nodes} nodes`.padEnd(56);
  console.log(
    `${what} ${podsPerSecond.toFixed(0).padStart(6)} pods/s  ${cpuMsPerPod.toFixed(2)} ms CPU a pod  ${verdict}`,
  );
  return cpuMsPerPod;
}
