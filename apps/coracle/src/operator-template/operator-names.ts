/** The names in a new operator's files. */
export interface OperatorNames {
  /** `guest-book`: of the folder, the package and the files. */
  readonly name: string;
  /** `GuestBook` */
  readonly kind: string;
  /** `guestBook` */
  readonly variable: string;
  /** `example.org` */
  readonly group: string;
}

/** The names that follow from the one that a user gave; throws with what is wrong with it. */
export function operatorNames(name: string, group: string): OperatorNames {
  if (!/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/.test(name))
    throw new Error(
      `${JSON.stringify(name)} is not a valid name for an operator: use lower-case letters, digits and dashes`,
    );
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/.test(group))
    throw new Error(`${JSON.stringify(group)} is not an API group: use a domain name, such as example.org`);
  const kind = name.split('-').map(capitalized).join('');
  return { name, kind, variable: kind.charAt(0).toLowerCase() + kind.slice(1), group };
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
