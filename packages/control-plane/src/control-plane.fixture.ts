import { Activity, noMetrics, noTracer, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.js';

/** Shared by the control planes of a test: virtual time, a store in memory and keys. */
export interface ControlPlaneGround extends Omit<ControlPlaneOptions, 'clock'> {
  readonly clock: VirtualClock;
}

export async function controlPlaneGround(): Promise<ControlPlaneGround> {
  const activity = new Activity();
  const clock = new VirtualClock({ activity });
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  return {
    store: await createMemoryStore({ clock }),
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    metrics: noMetrics,
    tracer: noTracer,
    activity,
    signingKeys: { id: 'test', algorithm: 'ES256', ...pair },
  };
}

/** Started, and idle. */
export async function startOn(
  ground: ControlPlaneGround,
  options: Partial<ControlPlaneOptions> = {},
): Promise<ControlPlane> {
  const controlPlane = await startControlPlane({ ...ground, ...options });
  await ground.clock.settle();
  return controlPlane;
}
