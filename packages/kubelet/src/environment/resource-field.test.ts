import { expect, test } from 'vitest';
import { allocatable } from '../builders.fixture.js';
import { resourceField } from './resource-field.js';

const resources = { limits: { cpu: '1500m', memory: '100Mi' }, requests: { cpu: '250m', memory: '64Mi' } };
const limited = { name: 'c', image: 'i', resources };
const free = { name: 'c', image: 'i' };

test.each([
  ['whole cores, rounded up', limited, 'limits.cpu', '1', '2'],
  ['thousandths of a core', limited, 'limits.cpu', '1m', '1500'],
  ['a request, rounded up', limited, 'requests.cpu', '1', '1'],
  ['bytes', limited, 'limits.memory', '1', '104857600'],
  ['mebibytes', limited, 'requests.memory', '1Mi', '64'],
  ['a divisor of nothing counts as one', limited, 'requests.memory', '0', '67108864'],
  ['without a limit, what the node has', free, 'limits.cpu', '1', '8'],
  ['of memory too', free, 'limits.memory', '1Gi', '16'],
  ['without a request, nothing', free, 'requests.cpu', '1', '0'],
  ['nor of a name that is inherited', limited, 'limits.constructor', '1', '0'],
])('%s', (_, container, resource, divisor, value) => {
  expect(resourceField(container, { resource, divisor }, allocatable)).toBe(value);
});
