import type { Host } from '../host.js';

/** Which programs a build may run, and how. */
export interface PluginOptions {
  /** Runs Helm for `helmCharts`. */
  readonly helm?: boolean;
  readonly helmCommand?: string;
  readonly helmApiVersions?: readonly string[];
  readonly helmKubeVersion?: string;
  readonly helmDebug?: boolean;
  /** Runs plugins that are programs. */
  readonly programs?: boolean;
}

/** Shared context of a build. */
export interface BuildContext {
  readonly host: Host;
  /** The directory of the kustomization, absolute and with links followed. */
  readonly folder: string;
  /** Files must be in or below the folder. */
  readonly restricted: boolean;
  readonly plugins: PluginOptions;
}
