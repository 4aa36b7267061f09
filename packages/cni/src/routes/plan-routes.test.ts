import { expect, test } from 'vitest';
import { forwardingChanges, planRoutes, routeChanges, tunnelLines } from './plan-routes.js';

const near = { name: 'near', addresses: ['192.0.2.2'], podCidrs: ['10.244.1.0/24'], adjacent: true };
const far = { name: 'far', addresses: ['198.51.100.3'], podCidrs: ['10.244.2.0/24', 'fd00:2::/64'], adjacent: false };

test('the next hop is the node itself on one segment, and the end of its tunnel elsewhere', () => {
  const plan = planRoutes([near, far], 'auto');
  expect(routeChanges(undefined, plan)).toEqual([
    'neigh replace 10.244.2.0 lladdr 0e:58:0a:f4:02:00 dev coracle.1 nud permanent',
    'neigh replace fd00:2:: lladdr 0e:58:0a:f4:02:00 dev coracle.1 nud permanent',
    'route replace 10.244.1.0/24 via 192.0.2.2 proto 112',
    'route replace 10.244.2.0/24 via 10.244.2.0 dev coracle.1 onlink proto 112',
    'route replace fd00:2::/64 via fd00:2:: dev coracle.1 onlink proto 112',
  ]);
  expect(forwardingChanges(undefined, plan)).toEqual(['fdb replace 0e:58:0a:f4:02:00 dev coracle.1 dst 198.51.100.3']);
});

test('routes of removed nodes are deleted, the others are unchanged', () => {
  const before = planRoutes([near, far], 'auto');
  const after = planRoutes([near], 'auto');
  expect(routeChanges(before, after)).toEqual([
    'route del 10.244.2.0/24 proto 112',
    'route del fd00:2::/64 proto 112',
    'neigh del 10.244.2.0 dev coracle.1',
    'neigh del fd00:2:: dev coracle.1',
  ]);
  expect(routeChanges(after, after)).toEqual([]);
});

test('the backend can be set', () => {
  expect([...planRoutes([near], 'vxlan').routes.values()]).toEqual(['via 10.244.1.0 dev coracle.1 onlink']);
  expect([...planRoutes([far], 'host-gateway').routes]).toEqual([['10.244.2.0/24', 'via 198.51.100.3']]);
});

test('the end of a tunnel', () => {
  expect(tunnelLines(['10.244.0.0/24'], { local: '192.0.2.1', mtu: 1450 })).toEqual([
    'link add coracle.1 mtu 1450 address 0e:58:0a:f4:00:00 type vxlan id 1 local 192.0.2.1 dstport 8472 nolearning',
    'addr replace 10.244.0.0/32 dev coracle.1',
    'link set coracle.1 up',
  ]);
});
