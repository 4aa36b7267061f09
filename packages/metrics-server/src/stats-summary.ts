/** The fields of a kubelet's `/stats/summary` that this server reads. */
export interface StatsSummary {
  readonly node?: ResourceStats;
  readonly pods?: readonly PodStats[];
}

export interface PodStats {
  readonly podRef?: { readonly name?: string; readonly namespace?: string; readonly uid?: string };
  readonly containers?: readonly (ResourceStats & { readonly name?: string })[];
}

export interface ResourceStats {
  readonly cpu?: { readonly time?: string; readonly usageNanoCores?: number };
  readonly memory?: { readonly time?: string; readonly workingSetBytes?: number };
}
