import type { Deployment, Pod, ReplicaSet } from '@coracle/api';
import type { ControllerContext } from '../controller.js';

/** The input of one sync of a deployment. */
export interface DeploymentSync {
  readonly deployment: Deployment;
  /** All replica sets that belong to it. */
  readonly replicaSets: readonly ReplicaSet[];
  podsOf(replicaSet: ReplicaSet): readonly Pod[];
  readonly context: ControllerContext;
}

export interface ScalingNote {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export function tellScaling(
  deployment: Deployment,
  { recorder }: ControllerContext,
  { name, from, to }: ScalingNote,
): void {
  const direction = to > from ? 'up' : 'down';
  const subject = { ...deployment, apiVersion: 'apps/v1', kind: 'Deployment' };
  recorder.event(
    subject,
    'Normal',
    'ScalingReplicaSet',
    `Scaled ${direction} replica set ${name} from ${from} to ${to}`,
  );
}
