import { refs } from '@coracle/api';
import type { InformerFactory } from '@coracle/client';
import type { Resource } from '../../cache/resource.js';
import { classesByResource } from './extended-resources.js';

/** The device classes that provide extended resources, from the API. */
export class ExtendedClasses {
  readonly #read: () => Map<string, string>;
  #classes: ReadonlyMap<string, string> | undefined;

  constructor(informers: InformerFactory) {
    const classes = informers.for(refs.deviceClasses);
    this.#read = () => classesByResource(classes.list());
    classes.addHandler(() => {
      this.#classes = undefined;
    });
  }

  has(resource: string): boolean {
    return this.#classNamesOf().has(resource);
  }

  /** Of the requested resources, those that device classes provide, each with its class. */
  of({ scalar }: Resource): ReadonlyMap<string, string> {
    if (scalar.size === 0) return none;
    const classNames = this.#classNamesOf();
    return new Map([...classNames].filter(([resource]) => (scalar.get(resource) ?? 0) > 0));
  }

  #classNamesOf(): ReadonlyMap<string, string> {
    this.#classes ??= this.#read();
    return this.#classes;
  }
}

const none: ReadonlyMap<string, string> = new Map();
