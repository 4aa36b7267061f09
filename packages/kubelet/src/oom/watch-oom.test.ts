import { expect, test } from 'vitest';
import { OomParser } from './oom-parser.js';
import { watchOom } from './watch-oom.js';

const invoked = 'sh invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=999';
const where = (limit: string, cgroup: string) =>
  `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=c,mems_allowed=0,${limit},task_memcg=${cgroup},task=sh,pid=7026,uid=0`;
const killed = 'Memory cgroup out of memory: Killed process 7026 (sh) total-vm:26852kB, anon-rss:15880kB';
const podCgroup = '/kubepods/burstable/pod1/c1';

test.each([
  ['of a pod with a limit', where('oom_memcg=/kubepods/burstable/pod1', podCgroup), podCgroup],
  ['of a machine without memory, whoever is killed', where('global_oom', podCgroup), '/'],
])('the kill %s', (_name, line, cgroup) => {
  const parser = new OomParser();
  const kills = [killed, invoked, 'Call Trace:', line, killed, killed].map((message) => parser.read(message));
  expect(kills.filter(Boolean)).toEqual([{ cgroup, processName: 'sh', pid: 7026 }]);
});

test('K2.3 only system-wide OOM kills are events of the node', () => {
  const events: string[] = [];
  let tell = (_message: string) => {};
  using _watch = watchOom({
    nodeName: 'n',
    kernelLog: {
      follow: (onMessage) => {
        tell = onMessage;
        return { [Symbol.dispose]: () => undefined };
      },
    },
    recorder: {
      event: (about, type, reason, message) => void events.push([about.kind, type, reason, message].join(' ')),
    },
  });
  for (const line of [invoked, where('oom_memcg=/kubepods', podCgroup), killed]) tell(line);
  expect(events).toEqual([]);
  for (const line of [invoked, where('global_oom', '/system.slice'), killed]) tell(line);
  expect(events).toEqual(['Node Warning SystemOOM System OOM encountered, victim process: sh, pid: 7026']);
});
