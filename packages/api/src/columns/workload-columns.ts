import type { LabelSelectorObject } from '@coracle/apimachinery';
import type { PodTemplateSpec } from '../generated/types/core-v1.js';
import { containerImages, containerNames, formatSelector } from './cell-text.js';
import { type Column, text, wide } from './table-printer.js';

/** Wide columns of kinds with a pod template: the containers and their images. */
export function templateColumns<T>(templateOf: (object: T) => PodTemplateSpec | undefined): Column<T>[] {
  return [
    wide(text('Containers', 'The names of the containers.', (object) => containerNames(templateOf(object)?.spec))),
    wide(text('Images', 'The images of the containers.', (object) => containerImages(templateOf(object)?.spec))),
  ];
}

export function selectorColumn<T>(selectorOf: (object: T) => LabelSelectorObject | undefined): Column<T> {
  return wide(text('Selector', 'The labels of the pods.', (object) => formatSelector(selectorOf(object))));
}
