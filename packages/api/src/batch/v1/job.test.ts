import { formatFieldError } from '@coracle/apimachinery';
import { describe, expect, it } from 'vitest';
import type { Job, JobSpec, JobStatus } from '../../generated/types/batch-v1.js';
import { setJobDefaults } from './job.defaults.js';
import { validateJob } from './job.validation.js';
import { generateJobSelector } from './job-selector.js';
import { validateJobUpdate } from './job-update.validation.js';

const podSpec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'nginx:1.27' }] };

function makeJob(spec: Partial<JobSpec> = {}): Job {
  const job: Job = {
    metadata: { name: 'job', uid: 'u-1' },
    spec: structuredClone({ template: { spec: podSpec }, ...spec }),
  };
  setJobDefaults(job);
  generateJobSelector(job);
  return job;
}

describe('defaults of a job', () => {
  it.each<{ name: string; spec: Partial<JobSpec>; filled: Partial<JobSpec> }>([
    {
      name: 'it runs once, and tries again six times',
      spec: {},
      filled: {
        completions: 1,
        parallelism: 1,
        backoffLimit: 6,
        completionMode: 'NonIndexed',
        suspend: false,
        manualSelector: false,
        podReplacementPolicy: 'TerminatingOrFailed',
      },
    },
    {
      name: 'with a parallelism alone it is done when any pod is',
      spec: { parallelism: 3 },
      filled: { parallelism: 3 },
    },
    {
      name: 'with a limit for each index there is none for the job',
      spec: { completionMode: 'Indexed', backoffLimitPerIndex: 1 },
      filled: { backoffLimit: 2147483647 },
    },
    {
      name: 'with a policy for failures, pods are replaced when they have failed',
      spec: { podFailurePolicy: { rules: [{ action: 'Count', onPodConditions: [{ type: 'A' } as never] }] } },
      filled: {
        podReplacementPolicy: 'Failed',
        podFailurePolicy: { rules: [{ action: 'Count', onPodConditions: [{ type: 'A', status: 'True' }] }] },
      },
    },
  ])('$name', ({ spec, filled }) => {
    expect(makeJob(spec).spec).toMatchObject(filled);
  });

  it('select its pods by uid', () => {
    const { spec, metadata } = makeJob();
    const labels = {
      'batch.kubernetes.io/controller-uid': 'u-1',
      'batch.kubernetes.io/job-name': 'job',
      'controller-uid': 'u-1',
      'job-name': 'job',
    };

    expect({ selector: spec?.selector, ofPods: spec?.template.metadata?.labels, ofJob: metadata.labels }).toEqual({
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u-1' } },
      ofPods: labels,
      ofJob: labels,
    });
  });
});

describe('validation of a job', () => {
  it.each<{ name: string; spec: Partial<JobSpec>; errors: string[] }>([
    { name: 'a plain job is right', spec: {}, errors: [] },
    {
      name: 'its pods end',
      spec: { template: { spec: { ...podSpec, restartPolicy: 'Always' } } },
      errors: ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    },
    {
      name: 'indexes need a number of completions',
      spec: { completionMode: 'Indexed', parallelism: 1 },
      errors: ['spec.completions: Required value: when completion mode is Indexed'],
    },
    {
      name: 'limits for each index need indexes',
      spec: { backoffLimitPerIndex: 1 },
      errors: ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    },
    {
      name: 'a rule for failures says what it is for',
      spec: { podFailurePolicy: { rules: [{ action: '' }] } },
      errors: [
        'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
        'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      ],
    },
    {
      name: 'exit codes are in order and of a container that there is',
      spec: {
        podFailurePolicy: {
          rules: [{ action: 'FailJob', onExitCodes: { containerName: 'x', operator: 'In', values: [2, 1] } }],
        },
      },
      errors: [
        'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template',
        'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1]: must be ordered',
      ],
    },
    {
      name: 'success is counted in indexes that there are',
      spec: {
        completionMode: 'Indexed',
        completions: 3,
        successPolicy: { rules: [{ succeededIndexes: '0-5' }] },
      },
      errors: [
        'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0-5": error parsing succeededIndexes: too large index: "5"',
      ],
    },
    {
      name: 'a manager has a domain',
      spec: { managedBy: 'abc' },
      errors: ['spec.managedBy: Invalid value: "abc": must be a domain-prefixed path (such as "acme.io/foo")'],
    },
  ])('$name', ({ spec, errors }) => {
    expect(validateJob(makeJob(spec)).map(formatFieldError)).toEqual(errors);
  });
});

describe('an update of a job', () => {
  const fields = (after: Partial<JobSpec>, before: Partial<JobSpec> = {}, status: JobStatus = {}) => [
    ...new Set(validateJobUpdate(makeJob(after), { ...makeJob(before), status }).map(({ field }) => field)),
  ];
  const onNode = { ...podSpec, nodeSelector: { zone: 'a' } };
  const otherImage = { ...podSpec, containers: [{ name: 'c', image: 'nginx:1.28' }] };

  it.each<{ name: string; before?: Partial<JobSpec>; after: Partial<JobSpec>; refused: string[] }>([
    { name: 'may change how many pods run', after: { parallelism: 2, completions: 1 }, refused: [] },
    { name: 'may not change the template', after: { template: { spec: onNode } }, refused: ['spec.template.spec'] },
    {
      name: 'may say where pods run while it waits',
      before: { suspend: true },
      after: { suspend: true, template: { spec: onNode } },
      refused: [],
    },
    {
      name: 'may not say what they run even then',
      before: { suspend: true },
      after: { suspend: true, template: { spec: otherImage } },
      refused: ['spec.template.spec'],
    },
    {
      name: 'may resize an indexed job that runs all at once',
      before: { completionMode: 'Indexed', completions: 2, parallelism: 2 },
      after: { completionMode: 'Indexed', completions: 3, parallelism: 3 },
      refused: [],
    },
    { name: 'may not change the mode', after: { completionMode: 'Indexed' }, refused: ['spec.completionMode'] },
  ])('$name', ({ before = {}, after, refused }) => {
    expect(fields(after, before)).toEqual(refused);
  });

  const startTime = '2026-01-01T00:00:00Z';
  const suspended: JobStatus = {
    startTime,
    conditions: [{ type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }],
  };
  const resized = {
    ...podSpec,
    containers: podSpec.containers.map((one) => ({ ...one, resources: { limits: { cpu: '2' } } })),
  };

  it.each<{ name: string; status: JobStatus; spec: typeof podSpec; refused: string[] }>([
    { name: 'where pods run, once all of them are gone', status: suspended, spec: onNode, refused: [] },
    {
      name: 'not where pods run, while some still do',
      status: { ...suspended, active: 1 },
      spec: onNode,
      refused: ['spec.template.spec'],
    },
    {
      name: 'not where pods run, before the controller has seen it',
      status: { startTime },
      spec: onNode,
      refused: ['spec.template.spec'],
    },
    { name: 'what pods get, once all of them are gone', status: suspended, spec: resized, refused: [] },
    {
      name: 'not what pods get, before the controller has seen it',
      status: {},
      spec: resized,
      refused: ['spec.template.spec'],
    },
  ])('of a suspended one may say $name', ({ status, spec, refused }) => {
    expect(fields({ suspend: true, template: { spec } }, { suspend: true }, status)).toEqual(refused);
  });
});

describe('labels of a job', () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: podSpec };
  const own = {
    'batch.kubernetes.io/controller-uid': 'u-1',
    'batch.kubernetes.io/job-name': 'job',
    'controller-uid': 'u-1',
    'job-name': 'job',
  };

  it('are those of the template with its generated ones, where the job has none', () => {
    expect(makeJob({ template }).metadata.labels).toEqual({ a: 'b', ...own });
  });

  it('stay as given, even where they equal those of the template', () => {
    const job: Job = { metadata: { name: 'job', uid: 'u-1', labels: { a: 'b' } }, spec: structuredClone({ template }) };
    setJobDefaults(job);
    generateJobSelector(job);
    expect(job.metadata.labels).toEqual({ a: 'b' });
  });
});
