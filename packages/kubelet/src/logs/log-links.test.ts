import { describe, expect, test } from 'vitest';
import { logLinkName, logLinkPrefix, logLinksDirectory } from './log-links.js';

const link = { namespace: 'default', pod: 'web-0', container: 'app', containerId: 'c0ffee' };

describe('links to logs of containers', () => {
  test.each([
    ['/var/log/pods', '/var/log/containers'],
    ['/data/pod-logs', '/data/containers'],
  ])('those for %s are in %s', (podLogsDir, expected) => {
    expect(logLinksDirectory(podLogsDir)).toBe(expected);
  });

  test('names have the pod, the namespace, the container and its id', () => {
    expect(logLinkName(link)).toBe('web-0_default_app-c0ffee.log');
  });

  test('a name is truncated to the maximum length, and keeps the prefix of its pod', () => {
    const long = { ...link, pod: 'p'.repeat(253), namespace: 'n'.repeat(63) };
    expect(logLinkName(long)).toBe(`${'p'.repeat(251)}.log`);
    expect(logLinkName(long).startsWith(logLinkPrefix(long))).toBe(true);
  });
});
