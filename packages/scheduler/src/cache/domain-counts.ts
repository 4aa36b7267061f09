/** Counts by the values of a label: for example pods in zone a, pods in zone b. */
export interface DomainCounts {
  readonly topologyKey: string;
  readonly domains: ReadonlyMap<string, number>;
  /** The sum over all domains. */
  readonly total: number;
  /** Whether every count is zero. */
  readonly isZero: boolean;
}
