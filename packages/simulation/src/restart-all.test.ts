import { type Container, type Pod, refs } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { conditionsOf, node, startTestNodes, stateOf, web } from './nodes.fixture.js';

const rule = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } };
const trigger: Container = { name: 'trigger', image: 'watcher', restartPolicy: 'Never', restartPolicyRules: [rule] };
const init: Container = { name: 'init', image: 'setup' };
const never = { restartPolicy: 'Never', initContainers: [init], containers: [web, trigger] };
/** The container `trigger` ends with the code of the rule after ten seconds, each time that it runs. */
const ends = { 'exit-after.trigger': '10s', 'exit-code.trigger': '42' };

function countsOf({ status }: Pod): string {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.map(({ name, restartCount }) => `${name} ${restartCount}`).join(', ');
}

/** What the condition says, with each change that the API shows. */
function follow(changes: AsyncIterable<{ readonly type: string; readonly object: unknown }>): readonly string[] {
  const seen: string[] = [];
  const read = async () => {
    for await (const { object } of changes) {
      const { status } = object as Pod;
      const condition = status?.conditions?.find(({ type }) => type === 'AllContainersRestarting');
      if (condition) seen.push([status?.phase, condition.status, condition.reason, condition.message].join(' '));
    }
  };
  void read().catch(() => undefined);
  return seen;
}

describe('RestartAllContainers', () => {
  test('an exit with the code of the rule restarts all containers of a pod in place, init containers first', async () => {
    const { run, clock, pods, client, events } = await startTestNodes();
    const before = await run('web', never, ends);
    expect(conditionsOf(before)).toContain('AllContainersRestarting=False');
    const seen = follow(client.resource(refs.pods, 'default').watch());
    await clock.advance(10_500);
    const after = await pods.get('web');
    expect(countsOf(after)).toBe('init 1, web 1, trigger 1');
    expect([stateOf(after), stateOf(after, 'trigger'), after.status?.phase]).toEqual(['ready', 'ready', 'Running']);
    expect([after.metadata.uid, after.status?.podIP]).toEqual([before.metadata.uid, before.status?.podIP]);
    const lastStates = after.status?.containerStatuses?.map(({ lastState }) => lastState?.terminated?.exitCode);
    expect(lastStates).toEqual([137, 42]);
    expect(conditionsOf(after)).toContain('AllContainersRestarting=False');
    expect(seen).toContain('Running True RestartAllContainersStarted container exited with restart policy rule');
    expect(await events('web')).toContain('Killing: Stopping container web');
  });

  test('a pod that keeps restarting waits longer each time, and keeps the history of its containers', async () => {
    const { run, clock, pods } = await startTestNodes();
    await run('web', never, { 'exit-after.trigger': '1s', 'exit-code.trigger': '42' });
    await clock.advance(2_500);
    const held = await pods.get('web');
    expect(countsOf(held)).toBe('init 1, web 1, trigger 1');
    expect([stateOf(held, 'init'), held.status?.phase]).toEqual(['waiting: CrashLoopBackOff', 'Pending']);
    expect(held.status?.initContainerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(0);

    await clock.advance(10_000);
    expect(countsOf(await pods.get('web'))).toBe('init 2, web 2, trigger 2');
  });

  test('init containers and sidecars may restart all as well', async () => {
    const { run, clock, pods } = await startTestNodes();
    const sidecar = { ...trigger, restartPolicy: 'Always' };
    await run('web', { restartPolicy: 'Never', initContainers: [init, sidecar] }, ends);
    await clock.advance(10_500);
    const after = await pods.get('web');
    expect(countsOf(after)).toBe('init 1, trigger 1, web 1');
    expect(stateOf(after)).toBe('ready');
  });

  test('a kubelet that restarts finds containers to be restarted', async () => {
    const { run, clock, pods, nodes } = await startTestNodes();
    await run('web', never, ends);
    await nodes.stopNode(node);
    await clock.advance(10_500);
    await nodes.startNode(node);
    await clock.settle();
    expect(countsOf(await pods.get('web'))).toBe('init 1, web 1, trigger 1');
  });

  test('the end of the others decides over the phase of the pod as ever', async () => {
    const { run, clock, pods } = await startTestNodes();
    await run('web', { restartPolicy: 'Never', containers: [web, trigger] }, { 'exit-after': '1s', 'exit-code': '1' });
    await clock.advance(2_000);
    const after = await pods.get('web');
    expect(after.status?.phase).toBe('Failed');
    expect(conditionsOf(after)).toContain('AllContainersRestarting=False PodFailed');
  });
});
