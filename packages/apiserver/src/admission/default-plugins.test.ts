import { seededRandom, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../memory-objects.fixture.js';
import { defaultPlugins, type PluginChoice } from './default-plugins.js';

const names = (choice: PluginChoice) =>
  defaultPlugins(
    {
      objects: new MemoryObjects([]),
      // Creating plugins writes nothing and sends no request.
      writer: {} as never,
      outbound: {} as never,
      params: {} as never,
      clock: new VirtualClock(),
      random: seededRandom(1),
      authorizer: { name: 'none', authorize: () => ({ kind: 'no-opinion', reason: '' }) },
    },
    choice,
  ).map(({ name }) => name);

describe('enabled admission plugins', () => {
  test('ADM-05 ADM-07 the default plugins, with the enabled ones, in a fixed order', () => {
    const usual = names({});
    const chosen = names({ enable: ['AlwaysDeny', 'AlwaysPullImages'], disable: ['Priority'] });
    expect(chosen.filter((name) => !usual.includes(name))).toEqual(['AlwaysPullImages', 'AlwaysDeny']);
    expect(chosen.indexOf('AlwaysPullImages')).toBe(chosen.indexOf('TaintNodesByCondition') + 1);
    expect(chosen.at(-1)).toBe('AlwaysDeny');
    expect(chosen).not.toContain('Priority');
  });

  test('ADM-09 a server without flags runs the default plugins of upstream', () => {
    for (const name of ['NamespaceLifecycle', 'PodSecurity', 'PodTopologyLabels', 'ResourceQuota'])
      expect(names({})).toContain(name);
    for (const name of ['AlwaysAdmit', 'EventRateLimit', 'NamespaceExists']) expect(names({})).not.toContain(name);
  });

  test('ADM-06 only the named plugins, and those that always run', () => {
    expect(names({ only: ['ResourceQuota', 'NamespaceLifecycle'] })).toEqual([
      'NamespaceLifecycle',
      'ResourceQuota',
      'RBACEscalation',
      'PodCertificateSigning',
    ]);
  });

  test('ADM-10 plugins without an effect may be named in the flags', () => {
    const chosen = names({ enable: ['MutatingAdmissionWebhook', 'NodeDeclaredFeatureValidator', 'Priority'] });
    expect(chosen).toEqual(names({}));
  });

  test.each([
    { choice: { enable: ['Nothing'] }, problem: 'enable-admission-plugins plugin "Nothing" is unknown' },
    {
      choice: { disable: ['RBACEscalation'] },
      problem: 'disable-admission-plugins plugin "RBACEscalation" is unknown',
    },
    {
      choice: { enable: ['Priority'], disable: ['Priority'] },
      problem: '[Priority] in enable-admission-plugins and disable-admission-plugins overlapped',
    },
    { choice: { only: ['Priority'], disable: ['Priority'] }, problem: 'flags are mutually exclusive' },
    { choice: { enable: ['EventRateLimit'] }, problem: 'EventRateLimit needs limits' },
    { choice: { config: { Nothing: {} } }, problem: 'admission-control-config-file plugin "Nothing" is unknown' },
  ])('$problem', ({ choice, problem }) => {
    expect(() => names(choice)).toThrow(problem);
  });

  test('ADM-03 each plugin receives its part of the configuration', () => {
    const limits = [{ type: 'Server', qps: 5, burst: 5 }];
    expect(names({ enable: ['EventRateLimit'], config: { EventRateLimit: { limits } } })).toContain('EventRateLimit');
    const bad = { EventRateLimit: { limits: [{ type: 'Moon', qps: 1, burst: 1 }] } };
    expect(() => names({ enable: ['EventRateLimit'], config: bad })).toThrow('no type of limit named "Moon"');
  });
});
