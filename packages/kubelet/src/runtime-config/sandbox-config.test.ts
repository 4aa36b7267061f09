import type { PodSpec } from '@coracle/api';
import { expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { sandboxConfig } from './sandbox-config.js';

const parts = { attempt: 0, podLogsDir: '/var/log/pods', clusterDomain: 'cluster.local' };

test.each<[string, Partial<PodSpec>, string | undefined]>([
  ['its own', {}, 'web'],
  ['one that is stated', { hostname: 'custom', subdomain: 'shop' }, 'custom'],
  ['the full one', { subdomain: 'shop', setHostnameAsFQDN: true }, 'web.shop.shop.svc.cluster.local'],
  [
    'one that overrides the others',
    { hostname: 'a', subdomain: 'b', hostnameOverride: 'over.example.host' },
    'over.example.host',
  ],
  ['none in the network of the node', { hostNetwork: true }, undefined],
])('the host name of a pod: %s', (_, spec, name) => {
  expect(sandboxConfig(makePod(spec), parts).hostname).toBe(name);
});
