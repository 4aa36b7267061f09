import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const schemas = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
const schemaFor = (level: string) => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name: 'mine' },
  spec: { priorityLevelConfiguration: { name: level }, matchingPrecedence: 500 },
});

describe('the status of a FlowSchema', () => {
  test.each([
    ['exempt', 'False', 'Found', 'and it exists'],
    ['nowhere', 'True', 'NotFound', 'but there is no such object'],
  ])(
    'for the priority level %s is in the status before the client that created it can read it',
    async (level, status, reason, end) => {
      const { call } = await startTestServer();
      const created = await call('POST', schemas, schemaFor(level));
      expect({ code: created.status, status: created.body.status }).toEqual({ code: 201, status: {} });
      expect((await call('GET', `${schemas}/mine`)).body.status.conditions).toEqual([
        {
          type: 'Dangling',
          status,
          reason,
          message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" ${end}`,
          lastTransitionTime: expect.any(String),
        },
      ]);
    },
  );
});
