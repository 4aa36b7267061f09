import { apiVersionOf, type ResourceInfo } from '@coracle/apimachinery';

/** `--runtime-config`: what is switched on and off beside the stable versions. */
export type RuntimeConfig = Readonly<Record<string, boolean>>;

/** Stable versions are on, others off; the most specific setting wins. */
export function isEnabled(config: RuntimeConfig, info: ResourceInfo): boolean {
  const version = apiVersionOf(info);
  return (
    config[`${version}/${info.resource}`] ??
    config[version] ??
    config[`api/${stageOf(info.version)}`] ??
    config['api/all'] ??
    stageOf(info.version) === 'ga'
  );
}

function stageOf(version: string): 'ga' | 'beta' | 'alpha' {
  if (version.includes('alpha')) return 'alpha';
  return version.includes('beta') ? 'beta' : 'ga';
}
