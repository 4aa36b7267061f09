import type { ComponentStatus } from '@coracle/api';
import { notFound } from '@coracle/apimachinery';
import { messageOf, ownValue } from '@coracle/base';
import type { SubresourceHandler } from '../subresource.js';

/** Fails if the component is unhealthy. */
export type ComponentProbe = () => void | Promise<void>;

const resource = { group: '', resource: 'componentstatuses' };

/** `componentstatuses`: nothing is stored, every component is probed on each request. */
export function componentStatuses(probes: Readonly<Record<string, ComponentProbe>>): SubresourceHandler {
  return {
    get: async ({ write }) => {
      const probe = ownValue(probes, write.name);
      if (!probe) throw notFound(resource, write.name);
      return { object: { apiVersion: 'v1', kind: 'ComponentStatus', ...(await statusOf(write.name, probe)) } };
    },
    list: async () => {
      const items = await Promise.all(Object.entries(probes).map(([name, probe]) => statusOf(name, probe)));
      return { object: { apiVersion: 'v1', kind: 'ComponentStatusList', metadata: {}, items } };
    },
  };
}

async function statusOf(name: string, probe: ComponentProbe): Promise<ComponentStatus> {
  const healthy = (status: string, message: string) => ({
    metadata: { name },
    conditions: [{ type: 'Healthy', status, message }],
  });
  try {
    await probe();
    return healthy('True', 'ok');
  } catch (error) {
    return healthy('False', messageOf(error));
  }
}
