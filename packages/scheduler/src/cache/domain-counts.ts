/** Numbers by the values of a label: how many in zone a, how many in zone b. */
export interface DomainCounts {
  readonly topologyKey: string;
  readonly domains: ReadonlyMap<string, number>;
  /** Of all domains together. */
  readonly total: number;
  /** Every number is zero. */
  readonly isZero: boolean;
}
