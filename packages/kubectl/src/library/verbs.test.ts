import { describe, expect, test } from 'vitest';
import { commandEntries } from '../command-table/command-entries.js';
import * as library from '../index.js';

/** The functions of each command. */
const functions: Readonly<Record<string, readonly (keyof typeof library)[]>> = {
  annotate: ['annotate'],
  'api-resources': ['apiResources'],
  'api-versions': ['apiVersions'],
  apply: ['apply', 'lastApplied', 'setLastApplied'],
  attach: ['attach'],
  auth: ['canI', 'permissions', 'whoAmI', 'reconcileAccess'],
  autoscale: ['autoscale'],
  certificate: ['approveCertificate', 'denyCertificate'],
  'cluster-info': ['clusterInfo', 'dumpCluster'],
  config: ['kubeconfig'],
  cordon: ['cordon'],
  cp: ['copyTo', 'copyFrom', 'extract'],
  create: ['create', 'generate'],
  debug: ['debug'],
  delete: ['remove'],
  describe: ['describe'],
  diff: ['diff'],
  drain: ['drain'],
  edit: ['edit'],
  events: ['events', 'followEvents'],
  exec: ['exec'],
  explain: ['explain', 'exampleManifest'],
  expose: ['expose'],
  get: ['get', 'getTables', 'getTree'],
  kustomize: ['kustomize'],
  label: ['label'],
  logs: ['logs'],
  patch: ['patch'],
  'port-forward': ['forwardPort'],
  proxy: ['proxy'],
  replace: ['replace'],
  rollout: ['followRollout', 'restartRollout', 'pauseRollout', 'resumeRollout', 'undoRollout', 'rolloutHistory'],
  run: ['runPod'],
  scale: ['scale'],
  set: ['setImage', 'setEnv', 'setResources', 'setSelector', 'setServiceAccount', 'addSubjects'],
  taint: ['taint'],
  top: ['topNodes', 'topPods'],
  uncordon: ['uncordon'],
  version: ['version'],
  wait: ['waitFor'],
  why: ['whyPod', 'whyAccess'],
};

/** Commands about the command line itself. */
const ofTheCommandLine = ['alpha', 'completion', 'kuberc', 'options', 'plugin'];

const exported = new Map<string, unknown>(Object.entries(library));

describe('every verb is a function of the library', () => {
  const verbs = commandEntries.map(({ name }) => name).filter((name) => !ofTheCommandLine.includes(name));
  test.each(verbs)('%s', (verb) => {
    const names = functions[verb] ?? [];
    expect(names).not.toEqual([]);
    for (const name of names) expect(['function', 'object'], name).toContain(typeof exported.get(name));
  });
});
