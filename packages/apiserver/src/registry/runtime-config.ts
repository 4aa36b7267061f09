import { apiVersionOf, type ResourceInfo } from '@coracle/apimachinery';

/** `--runtime-config`: the APIs that are enabled and disabled besides the stable versions. */
export type RuntimeConfig = Readonly<Record<string, boolean>>;

/** Stable versions are enabled by default, others disabled; the most specific setting wins. */
export function isEnabled(config: RuntimeConfig, info: ResourceInfo): boolean {
  const version = apiVersionOf(info);
  return (
    config[`${version}/${info.resource}`] ??
    config[version] ??
    (info.group === '' ? config[`api/${info.version}`] : undefined) ??
    config[`api/${stageOf(info.version)}`] ??
    config['api/all'] ??
    stageOf(info.version) === 'ga'
  );
}

function stageOf(version: string): 'ga' | 'beta' | 'alpha' {
  if (version.includes('alpha')) return 'alpha';
  return version.includes('beta') ? 'beta' : 'ga';
}

const wholeStages: ReadonlySet<string> = new Set([
  'api/all',
  'api/ga',
  'api/beta',
  'api/alpha',
  'api/legacy',
  'api/v1',
]);

/** Throws if an unknown API is enabled. Disabling one has no effect. */
export function checkRuntimeConfig(config: RuntimeConfig, infos: readonly ResourceInfo[]): void {
  const names = Object.keys(config).filter((name) => config[name] && !wholeStages.has(name));
  const versions = new Set(infos.map(apiVersionOf));
  const groups = new Set(infos.map(({ group }) => group));
  const unknownGroups = names.filter((name) => name !== 'v1' && !name.startsWith('v1/') && !groups.has(groupIn(name)));
  if (unknownGroups.length > 0)
    throw new Error(`unknown api groups ${[...new Set(unknownGroups.map(groupIn))].join(',')}`);
  const unknown = names.find((name) => !versions.has(name) && !versions.has(name.slice(0, name.lastIndexOf('/'))));
  if (unknown !== undefined) throw new Error(`group version ${unknown} that has not been registered`);
}

function groupIn(name: string): string {
  return name.split('/', 1)[0] as string;
}
