import type { resourcev1 } from '@coracle/api';
import {
  boolType,
  CelEnvironment,
  CelError,
  CelMap,
  type CelProgram,
  type CelValue,
  dynType,
  stringType,
  ValueMap,
} from '@coracle/apimachinery';

/** A device of a slice, with the fields that selectors see. */
export interface SelectableDevice {
  readonly driver: string;
  readonly device: resourcev1.Device;
}

/** Evaluates the CEL selectors of device classes and requests; programs are cached. */
export class DeviceSelectors {
  readonly #environment = new CelEnvironment({ variables: { device: dynType } });
  readonly #programs = new Map<string, CelProgram | CelError>();
  /** Devices are immutable, and most pods use the same selectors, so results are cached. */
  readonly #results = new WeakMap<resourcev1.Device, Map<string, boolean>>();

  /** False if the expression is invalid or fails: such a device does not match. */
  matches(expression: string, selectable: SelectableDevice): boolean {
    const results = this.#results.get(selectable.device) ?? new Map<string, boolean>();
    let result = results.get(expression);
    if (result === undefined) {
      result = this.#evaluate(expression, selectable);
      results.set(expression, result);
      this.#results.set(selectable.device, results);
    }
    return result;
  }

  #evaluate(expression: string, { driver, device }: SelectableDevice): boolean {
    const program = this.#program(expression);
    if (CelError.is(program)) return false;
    const { value } = program.run({ device: deviceValue(driver, device) });
    return value === true;
  }

  #program(expression: string): CelProgram | CelError {
    let program = this.#programs.get(expression);
    if (program === undefined) {
      program = this.#compile(expression);
      this.#programs.set(expression, program);
    }
    return program;
  }

  #compile(expression: string): CelProgram | CelError {
    try {
      const program = this.#environment.compile(expression);
      return program.type === boolType || program.type === dynType
        ? program
        : new CelError('compile', 'must evaluate to bool');
    } catch (error) {
      if (CelError.is(error)) return error;
      throw error;
    }
  }
}

const conversions = new CelEnvironment({ variables: { text: stringType } });
const toQuantity = conversions.compile('quantity(text)');
const toVersion = conversions.compile('semver(text)');

function deviceValue(
  driver: string,
  { attributes = {}, capacity = {}, allowMultipleAllocations }: resourcev1.Device,
): CelValue {
  return ValueMap.of([
    ['driver', driver],
    ['attributes', byDomain(driver, attributes, attributeValue)],
    ['capacity', byDomain(driver, capacity, ({ value }) => toQuantity.evaluate({ text: value }))],
    ['allowMultipleAllocations', allowMultipleAllocations ?? false],
  ]);
}

function attributeValue({ bool, int, string, version }: resourcev1.DeviceAttribute): CelValue {
  if (bool !== undefined) return bool;
  if (int !== undefined) return BigInt(int);
  return version === undefined ? (string ?? '') : toVersion.evaluate({ text: version });
}

/** Names without a domain are in the domain of the driver. */
export function qualifiedName(driver: string, name: string): string {
  return name.includes('/') ? name : `${driver}/${name}`;
}

function byDomain<T>(driver: string, values: Readonly<Record<string, T>>, read: (value: T) => CelValue): CelMap {
  const domains = new Map<string, [string, CelValue][]>();
  for (const [name, value] of Object.entries(values)) {
    const [domain = '', id = ''] = qualifiedName(driver, name).split('/');
    domains.set(domain, [...(domains.get(domain) ?? []), [id, read(value)]]);
  }
  return new DomainMap(new Map([...domains].map(([domain, pairs]) => [domain, ValueMap.of(pairs)])));
}

const nothing = ValueMap.of([]);

/** A domain without attributes of the device is an empty map, so that expressions need not test for it first. */
class DomainMap extends CelMap {
  readonly #domains: ReadonlyMap<string, CelMap>;

  constructor(domains: ReadonlyMap<string, CelMap>) {
    super();
    this.#domains = domains;
  }

  get size(): number {
    return this.#domains.size;
  }

  get(key: CelValue): CelValue | undefined {
    return typeof key === 'string' ? (this.#domains.get(key) ?? nothing) : undefined;
  }

  keys(): Iterable<CelValue> {
    return this.#domains.keys();
  }
}
