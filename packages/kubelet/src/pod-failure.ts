/** Why a pod failed as a whole. */
export interface PodFailure {
  readonly reason: string;
  readonly message: string;
  /** Set if the node caused the failure: reported as the condition DisruptionTarget. */
  readonly disruption?: { readonly reason: string; readonly message: string };
}
