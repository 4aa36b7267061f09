#!/usr/bin/env node
// Uses the manifests of a folder as people do, with a kubectl, against a cluster of its own or that of --kubeconfig:
// every *.yaml is applied, applied again, compared after a change, applied with it, explained and deleted, once
// server-side and once plainly; the objects of every *.jsonl ({"project", "file", "object"} a line) are checked and
// created in between. Prints a table with one row a manifest, then the verdicts about the objects that were refused,
// and fails when a step did. usage: try-manifests.mjs FOLDER [--kubectl "node apps/coracle/dist/coracle.js kubectl"]
// [--mode server-side|plain|both]
//        [--only PART] [--kubeconfig FILE] [--verdicts OUT] [--expect FILE: verdicts of another cluster]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kubectl: { type: 'string', default: 'kubectl' },
    mode: { type: 'string', default: 'both' },
    only: { type: 'string', default: '' },
    kubeconfig: { type: 'string' },
    verdicts: { type: 'string' },
    expect: { type: 'string' },
    bin: {
      type: 'string',
      default: join(dirname(fileURLToPath(import.meta.url)), '..', 'apps', 'coracle', 'dist', 'coracle.js'),
    },
  },
});
const [folder] = positionals;
if (folder === undefined || !['server-side', 'plain', 'both'].includes(options.mode)) {
  console.error('usage: try-manifests.mjs FOLDER [--kubectl COMMAND] [--mode server-side|plain|both] [--only PART]');
  process.exit(2);
}
const scratch = mkdtempSync(join(tmpdir(), 'coracle-manifests-'));
/** What no API server takes in an annotation: plain apply keeps the whole object in one. */
const tooLarge = /metadata\.annotations: Too long/;
/** What a policy says that came with a manifest. */
const ownPolicy = /ValidatingAdmissionPolicy '.*denied request/;
const steps = ['apply', 'again', 'diff', 'change', 'settled', 'explain', 'get', 'delete'];

/** `coracle up` on a free port; resolves when it is ready. */
async function startCluster() {
  const dataDir = mkdtempSync(join(scratch, 'data-'));
  // One metrics server is enough: what one manifest deletes the cluster's own would bring back.
  const flags = ['--listen', '127.0.0.1:0', '--data-dir', dataDir, '--metrics-server=false'];
  const child = spawn(process.execPath, [options.bin, 'up', ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface(child.stdout)) if (line.includes('is ready')) break;
  child.stdout.resume();
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { kubeconfig: join(dataDir, 'admin.kubeconfig'), stop };
}

/** A kubectl with the credentials of one cluster. */
function kubectlOf(kubeconfig) {
  const [command, ...before] = options.kubectl.split(' ');
  return (...args) => {
    const { status, stdout, stderr } = spawnSync(command, [...before, ...args], {
      env: { ...process.env, KUBECONFIG: kubeconfig, KUBECTL_EXTERNAL_DIFF: 'diff -u -N' },
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    });
    return { status, stdout, stderr };
  };
}

/** The same objects with an annotation more, in them and in their pod templates. */
function changed(kubectl, file) {
  const home = mkdtempSync(join(scratch, 'change-'));
  writeFileSync(join(home, 'manifest.yaml'), readFileSync(file));
  const kustomization = { resources: ['manifest.yaml'], commonAnnotations: { 'try-manifests/change': 'yes' } };
  writeFileSync(join(home, 'kustomization.yaml'), JSON.stringify(kustomization));
  const { status, stdout, stderr } = kubectl('kustomize', home);
  if (status !== 0) throw new Error(`kustomize ${file}: ${stderr}`);
  const path = join(home, 'changed.yaml');
  writeFileSync(path, stdout);
  return path;
}

/** Namespaces that a manifest uses and does not bring: people create them first. */
function missingNamespaces(file) {
  const documents = readFileSync(file, 'utf8').split(/^---/m);
  const own = documents
    .filter((text) => /^kind: Namespace$/m.test(text))
    .map((text) => /^ {2}name: (\S+)$/m.exec(text)?.[1]);
  const used = documents.flatMap((text) =>
    [...text.matchAll(/^ {2}namespace: "?([\w-]+)"?$/gm)].map(([, name]) => name),
  );
  return [...new Set(used)].filter((name) => !own.includes(name) && !['default', 'kube-system'].includes(name));
}

const lines = (text) => text.split('\n').filter((line) => line.trim() !== '');

/** What a command complained about: neither warnings nor what no server accepts. */
function complaints({ status, stderr }, allowed = [0]) {
  const errors = lines(stderr).filter((line) => !/^Warning:|^W\d{4}|^I\d{4}/.test(line));
  const refused = errors.filter((line) => line.includes('Error from server')).length;
  // A manifest may bring a policy that forbids to apply it again.
  if (refused > 0 && errors.filter((line) => ownPolicy.test(line)).length >= refused) return [];
  const real = errors.filter((line) => !tooLarge.test(line) && !ownPolicy.test(line));
  if (real.length > 0) return real;
  return allowed.includes(status) || errors.length > 0 ? [] : [`exit code ${status}`];
}

/** One manifest through all steps but the deletion. */
function useManifest({ kubectl, mode, file, row }) {
  const apply = mode === 'plain' ? ['apply'] : ['apply', '--server-side'];
  const diff = mode === 'plain' ? ['diff'] : ['diff', '--server-side'];
  for (const name of missingNamespaces(file)) kubectl('create', 'namespace', name);
  const first = kubectl(...apply, '-f', file);
  row.objects = lines(first.stdout).length;
  row.tooLarge = lines(first.stderr).filter((line) => tooLarge.test(line)).length;
  row.warnings = lines(first.stderr).filter((line) => line.startsWith('Warning:')).length;
  record(row, 'apply', complaints(first));
  record(row, 'again', complaints(kubectl(...apply, '-f', file)));
  const next = changed(kubectl, file);
  const difference = kubectl(...diff, '-f', next);
  const isShown = difference.stdout.includes('try-manifests/change') || ownPolicy.test(difference.stderr);
  const shows = isShown ? [] : ['the change is not shown'];
  record(row, 'diff', [...complaints(difference, [0, 1]), ...shows]);
  const second = kubectl(...apply, '-f', next);
  const stale = lines(second.stdout).filter((line) => / unchanged$/.test(line));
  record(row, 'change', [...complaints(second), ...stale]);
  const after = kubectl(...diff, '-f', next);
  // In the plain pass, objects that were too large are still to be created. Jobs that have ended may be deleted.
  const differing = lines(after.stdout).filter((line) => line.startsWith('diff ') && !line.includes('batch.v1.Job'));
  const left =
    row.tooLarge > 0 || ownPolicy.test(after.stderr) ? [] : differing.map((line) => `differs still: ${line}`);
  record(row, 'settled', [...complaints(after, [0, 1]), ...left]);
  record(row, 'explain', explained(kubectl, customKinds(kubectl, file)));
  record(row, 'get', complaints(kubectl('get', '-f', next, '--ignore-not-found')));
  return next;
}

function customKinds(kubectl, file) {
  const { stdout } = kubectl('get', '-f', file, '-o', 'name', '--ignore-not-found');
  return lines(stdout)
    .filter((line) => line.startsWith('customresourcedefinition'))
    .map((line) => line.split('/')[1]);
}

/** All fields of every kind; and of one kind a group its own page and that of its metadata, which are the same for all. */
function explained(kubectl, kinds) {
  const firsts = [...new Map(kinds.map((kind) => [groupOf(kind), kind]).reverse()).values()];
  return [
    ...kinds.flatMap((kind) => complaints(kubectl('explain', kind, '--recursive'))),
    ...firsts.flatMap((kind) => complaints(kubectl('explain', kind))),
    ...firsts.flatMap((kind) => {
      const answer = kubectl('explain', `${kind.split('.')[0]}.metadata`);
      const empty = answer.stdout.includes('DESCRIPTION:\n    <empty>');
      return [...complaints(answer), ...(empty ? [`${kind}: metadata has no description`] : [])];
    }),
  ];
}

const groupOf = (kind) => kind.slice(kind.indexOf('.') + 1);

function record(row, step, found) {
  row[step] = found.length === 0 ? 'ok' : `${found.length} failed`;
  for (const line of found) fail(`${row.manifest} (${row.mode}) ${step}: ${line.slice(0, 600)}`);
}

/** Said at once: a run takes minutes. */
function fail(line) {
  failures.push(line);
  console.log(line);
}

/** Objects of *.jsonl, each in a file named by its number, so that the output of kubectl names it. */
function writeSamples() {
  const home = mkdtempSync(join(scratch, 'samples-'));
  const free = mkdtempSync(join(scratch, 'free-samples-'));
  const samples = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => lines(readFileSync(join(folder, name), 'utf8')).map((line) => JSON.parse(line)));
  samples.forEach(({ object }, index) => {
    const name = `${String(index).padStart(5, '0')}.json`;
    writeFileSync(join(home, name), JSON.stringify(object));
    // The controller that removes finalizers does not run here.
    const metadata = { ...object?.metadata, finalizers: undefined };
    writeFileSync(join(free, name), JSON.stringify({ ...object, metadata }));
  });
  return { home, free, samples };
}

/**
 * What a server says about every sample, by its number: of those that it refuses. Several have the same name, so none
 * is stored.
 */
function judgeSamples(kubectl, { home, samples }) {
  const names = new Set(samples.map(({ object }) => object?.metadata?.namespace).filter(Boolean));
  for (const name of names) kubectl('create', 'namespace', name);
  const { stderr } = kubectl('create', '--dry-run=server', '--validate=strict', '-f', home);
  const refusals = new Map();
  let last;
  for (const line of lines(stderr).filter((text) => !text.startsWith('Warning:'))) {
    const number = /(\d{5})\.json/.exec(line)?.[1];
    if (number !== undefined) last = Number(number);
    if (last !== undefined) refusals.set(last, [...(refusals.get(last) ?? []), line]);
  }
  return refusals;
}

function verdictsOf({ samples }, refusals) {
  return samples.map(({ project, file, object }, index) => {
    const output = (refusals.get(index) ?? []).join(' ').replaceAll(/"[^"]*\d{5}\.json"/g, 'FILE');
    const name = `${object?.kind}/${object?.metadata?.name ?? object?.metadata?.generateName ?? ''}`;
    const isThere = output.includes('(AlreadyExists)');
    return { project, file, object: name, verdict: output === '' || isThere ? 'accepted' : 'refused', output };
  });
}

function compareVerdicts(verdicts) {
  const expected = lines(readFileSync(options.expect, 'utf8')).map((line) => JSON.parse(line));
  for (const [index, { verdict, object, file, output }] of verdicts.entries()) {
    if (expected[index]?.verdict === verdict) continue;
    fail(`sample ${object} of ${file}: ${verdict}, expected ${expected[index]?.verdict}: ${output}`);
  }
}

function trySamples(kubectl, mode) {
  const written = writeSamples();
  if (written.samples.length === 0) return;
  // Their servers do not run here, and a webhook without an answer refuses its requests.
  for (const kind of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'])
    kubectl('delete', kind, '--all');
  const verdicts = verdictsOf(written, judgeSamples(kubectl, written));
  const refused = verdicts.filter(({ verdict }) => verdict === 'refused');
  const created = lines(kubectl('create', '-f', written.free).stdout).length;
  const counts = `${verdicts.length - refused.length} accepted, ${refused.length} refused, ${created} created`;
  console.log(`samples (${mode}): ${counts} (several have one name)`);
  for (const { project, file, object, output } of refused)
    console.log(`  ${project} ${file} ${object}: ${output.slice(0, 500)}`);
  if (options.verdicts)
    writeFileSync(options.verdicts, verdicts.map((verdict) => `${JSON.stringify(verdict)}\n`).join(''));
  if (options.expect) compareVerdicts(verdicts);
  kubectl('delete', '-f', written.free, '--ignore-not-found', '--wait=false');
}

async function tryMode(mode) {
  const cluster = options.kubeconfig
    ? { kubeconfig: resolve(options.kubeconfig), stop: async () => {} }
    : await startCluster();
  try {
    const kubectl = kubectlOf(cluster.kubeconfig);
    const files = readdirSync(folder).filter((name) => name.endsWith('.yaml') && name.includes(options.only));
    const used = files.map((name) => {
      const row = { manifest: basename(name, '.yaml'), mode };
      rows.push(row);
      return { row, path: useManifest({ kubectl, mode, file: join(resolve(folder), name), row }) };
    });
    if (mode !== 'plain' && options.only === '') trySamples(kubectl, mode);
    // Namespaces do not end while a group is announced whose server does not run.
    kubectl('delete', 'apiservices', '-l', '!kube-aggregator.kubernetes.io/automanaged');
    for (const { row, path } of used) {
      const answer = kubectl('delete', '-f', path, '--ignore-not-found', '--timeout=120s');
      const left = kubectl('get', '-f', path, '--ignore-not-found', '-o', 'name');
      const unknown = /the server doesn't have a resource type|no matches for kind/;
      const still = complaints(left).filter((line) => !unknown.test(line));
      record(row, 'delete', [
        ...complaints(answer),
        ...lines(left.stdout).map((name) => `${name} is still there`),
        ...still,
      ]);
    }
  } finally {
    await cluster.stop();
  }
}

function printTable(mode) {
  const columns = ['manifest', 'mode', 'objects', 'tooLarge', 'warnings', ...steps];
  const text = (row) =>
    columns.map((column) => String(row[column] ?? '-').padEnd(column === 'manifest' ? 16 : 11)).join(' ');
  console.log(text(Object.fromEntries(columns.map((column) => [column, column]))));
  for (const row of rows.filter((one) => one.mode === mode)) console.log(text(row));
}

const failures = [];
const rows = [];
try {
  for (const mode of options.mode === 'both' ? ['server-side', 'plain'] : [options.mode]) {
    await tryMode(mode);
    printTable(mode);
  }
  console.log(`${rows.length} manifests used, ${failures.length} failures`);
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
