/** Why a pod failed as a whole. */
export interface PodFailure {
  readonly reason: string;
  readonly message: string;
  /** The pod was never admitted: its status has nothing but the reason. */
  readonly isRejection?: boolean;
  /** Set when it was the node that could not keep the pod: reported as the condition DisruptionTarget. */
  readonly disruption?: { readonly reason: string; readonly message: string };
}

/** The failure of a pod that the node refuses. */
export function rejectionOf({ reason, message }: Pick<PodFailure, 'reason' | 'message'>): PodFailure {
  return { reason, message: `Pod was rejected: ${message}`, isRejection: true };
}
