import type { batchv1, Job, Pod } from '@coracle/api';
import { withoutFinalizer } from '@coracle/apimachinery';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assessJob } from './assess-job.js';
import { account, heldPods, settle } from './count-pods.js';
import { trackingFinalizer } from './job-pods.js';

const job: Job = { metadata: { name: 'j', uid: 'u' }, spec: { template: {}, completions: 10, backoffLimit: 1000 } };

/** A simulated cluster in which a pass may be interrupted after each of its writes. */
class World {
  status: batchv1.JobStatus = {};
  pods: Pod[];

  constructor(phases: readonly string[]) {
    this.pods = phases.map((phase, index) => ({
      metadata: { name: `p${index}`, uid: `${index}`, finalizers: [trackingFinalizer] },
      status: { phase },
    }));
  }

  /** One pass that ends after this many writes. */
  pass(writes: number): void {
    const assessment = assessJob({
      job: { ...job, status: this.status },
      pods: this.pods,
      released: new Set(),
      now: 0,
    });
    const held = new Set(heldPods(assessment).map(({ metadata }) => metadata.uid ?? ''));
    const { status, release } = account(assessment, settle(this.status, held), undefined);
    if (writes < 1) return;
    this.status = status;
    for (const pod of release.slice(0, writes - 1)) {
      this.pods = this.pods.map((one) => (one === pod ? withoutFinalizer(one, trackingFinalizer) : one));
      held.delete(pod.metadata.uid ?? '');
    }
    if (writes > release.length + 1) this.status = settle(this.status, held);
  }
}

describe('counting', () => {
  test('counts each pod once, wherever a pass is interrupted', () => {
    const phases = fc.array(fc.constantFrom('Succeeded', 'Failed', 'Running'), { maxLength: 8 });
    fc.assert(
      fc.property(phases, fc.array(fc.nat(10), { maxLength: 6 }), (all, cuts) => {
        const world = new World(all);
        for (const writes of cuts) world.pass(writes);
        world.pass(100);
        const count = (phase: string) => all.filter((one) => one === phase).length;
        expect(world.status.succeeded ?? 0).toBe(count('Succeeded'));
        expect(world.status.failed ?? 0).toBe(count('Failed'));
        expect(world.status.uncountedTerminatedPods).toEqual({});
        expect(world.pods.filter(({ metadata }) => metadata.finalizers)).toHaveLength(count('Running'));
      }),
    );
  });

  test('enters no more uids than a status can hold', () => {
    const world = new World(Array.from({ length: 700 }, () => 'Succeeded'));
    world.pass(1);
    expect(world.status.uncountedTerminatedPods?.succeeded).toHaveLength(500);
  });

  test('counts running pods as failed once the job has failed', () => {
    const { pods } = new World(['Running', 'Succeeded']);
    const assessment = assessJob({ job, pods, released: new Set(), now: 0 });
    const verdict = { type: 'FailureTarget', reason: 'r', message: 'm' } as const;
    const { status, release } = account(assessment, {}, verdict);
    expect(status.uncountedTerminatedPods).toEqual({ succeeded: ['1'], failed: ['0'] });
    expect(release).toHaveLength(2);
  });
});
