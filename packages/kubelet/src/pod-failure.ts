/** Why a pod failed as a whole. */
export interface PodFailure {
  readonly reason: string;
  readonly message: string;
  /** Set when it was the node that could not keep the pod: reported as the condition DisruptionTarget. */
  readonly disruption?: { readonly reason: string; readonly message: string };
}
