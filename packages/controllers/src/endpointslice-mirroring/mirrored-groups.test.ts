import type { EndpointSubset } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { mirroredGroups } from './mirrored-groups.js';

const web = [{ name: 'http', port: 80 }];

function mirror(subsets: EndpointSubset[], most = 1000) {
  const { groups, invalid, skipped } = mirroredGroups({ metadata: { name: 'e' }, subsets }, most);
  const endpoints = [...groups].flatMap(([family, ofFamily]) =>
    ofFamily.map((group) => [
      family,
      group.ports.map(({ port }) => port),
      group.endpoints.map(({ addresses, conditions }) => `${addresses[0]}${conditions?.ready ? '' : '?'}`),
    ]),
  );
  return { endpoints, invalid, skipped };
}

describe('endpoints as slices have them', () => {
  test('ready and unready addresses of both families are separate', () => {
    const subsets = [
      { ports: web, addresses: [{ ip: '10.0.0.1' }, { ip: 'FD00::1' }], notReadyAddresses: [{ ip: '10.0.0.2' }] },
    ];
    expect(mirror(subsets)).toEqual({
      endpoints: [
        ['IPv4', [80], ['10.0.0.1', '10.0.0.2?']],
        ['IPv6', [80], ['fd00::1']],
      ],
      invalid: 0,
      skipped: 0,
    });
  });

  test('subsets with the same ports are merged, without duplicate addresses', () => {
    const subsets = [
      { ports: web, notReadyAddresses: [{ ip: '10.0.0.1' }] },
      { ports: web, addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] },
      { ports: [{ port: 81 }], addresses: [{ ip: '10.0.0.1' }] },
    ];
    expect(mirror(subsets).endpoints).toEqual([
      ['IPv4', [80], ['10.0.0.1', '10.0.0.2']],
      ['IPv4', [81], ['10.0.0.1']],
    ]);
  });

  test('invalid addresses are left out, and so are those beyond the limit, the ready ones last', () => {
    const subsets = [
      {
        ports: web,
        addresses: [{ ip: 'nonsense' }, { ip: '10.0.0.1' }],
        notReadyAddresses: [{ ip: '10.0.0.2' }, { ip: '10.0.0.3' }],
      },
    ];
    expect(mirror(subsets, 2)).toEqual({
      endpoints: [['IPv4', [80], ['10.0.0.1', '10.0.0.2?']]],
      invalid: 1,
      skipped: 2,
    });
  });
});
