import { type FieldError, type FieldPath, invalidField, isDns1035Label, requiredField } from '@coracle/apimachinery';
import type { CustomResourceDefinitionNames } from '../../generated/types/apiextensions-v1.js';

/** All names are required in the spec; accepted names in the status may lack some. */
export function checkRequiredNames(path: FieldPath, names: CustomResourceDefinitionNames): FieldError[] {
  const required = ['plural', 'singular', 'kind', 'listKind'] as const;
  return required.filter((field) => !names[field]).map((field) => requiredField(path.child(field)));
}

export function checkNames(path: FieldPath, names: CustomResourceDefinitionNames): FieldError[] {
  const { plural, singular, kind, listKind, shortNames = [], categories = [] } = names;
  const errors = [
    ...checkLabel(path.child('plural'), plural),
    ...checkLabel(path.child('singular'), singular),
    ...shortNames.flatMap((name, index) => checkWord(path.child('shortNames').index(index), name)),
    ...checkKind(path.child('kind'), kind),
    ...checkKind(path.child('listKind'), listKind),
  ];
  if (kind && kind === listKind) {
    errors.push(invalidField(path.child('listKind'), listKind, 'kind and listKind may not be the same'));
  }
  return [...errors, ...categories.flatMap((name, index) => checkWord(path.child('categories').index(index), name))];
}

function checkLabel(path: FieldPath, name: string | undefined): FieldError[] {
  return name ? checkWord(path, name) : [];
}

/** One field error with all problems. */
export function checkWord(path: FieldPath, name: string): FieldError[] {
  const problems = isDns1035Label(name);
  return problems.length === 0 ? [] : [invalidField(path, name, problems.join(','))];
}

function checkKind(path: FieldPath, kind: string | undefined): FieldError[] {
  const problems = kind ? isDns1035Label(kind.toLowerCase()) : [];
  if (problems.length === 0) return [];
  return [invalidField(path, kind, `may have mixed case, but should otherwise match: ${problems.join(',')}`)];
}
