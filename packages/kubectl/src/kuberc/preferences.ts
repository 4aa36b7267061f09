import { parseYamlDocuments } from '@coracle/apimachinery';
import { parseFlagLines } from '../command/flag-spec.js';
import { plainPlaces, plainWords } from '../command/plain-words.js';
import { commandEntries } from '../command-table/command-entries.js';
import { globalFlags } from '../command-table/global-flags.js';
import { type CredentialPluginPolicy, readCredentialPluginPolicy } from '../factory/credential-plugins.js';
import { type Fields, isRecord, recordsAt, textAt, textsAt } from '../values.js';

interface Option {
  readonly name: string;
  readonly value: string;
}

/** A command line with the user's aliases replaced, and the defaults of flags that the user prefers. */
export interface PreferredWords {
  readonly words: readonly string[];
  readonly defaults: readonly (readonly [string, string])[];
  readonly credentialPlugins?: CredentialPluginPolicy;
}

/** The content of a kuberc file. */
export interface Preferences {
  readonly defaults: readonly { readonly command: string; readonly options: readonly Option[] }[];
  readonly aliases: readonly {
    readonly name: string;
    readonly command: string;
    readonly prepend: readonly string[];
    readonly append: readonly string[];
    readonly options: readonly Option[];
  }[];
  readonly credentialPlugins?: CredentialPluginPolicy;
}

const versions = ['kubectl.config.k8s.io/v1alpha1', 'kubectl.config.k8s.io/v1beta1', 'kubectl.config.k8s.io/v1'];

/** The first document of the text that is a preference, if one is. */
export function parsePreferences(text: string): Preferences | undefined {
  const document = parseYamlDocuments(text)
    .map(({ value }) => value)
    .filter(isRecord)
    .find((value) => versions.includes(textAt(value, 'apiVersion')) && textAt(value, 'kind') === 'Preference');
  return document && readPreferences(document);
}

function readPreferences(document: Fields): Preferences {
  const credentialPlugins = readCredentialPluginPolicy(document);
  return {
    ...(credentialPlugins && { credentialPlugins }),
    defaults: recordsAt(document, 'defaults').map((entry) => ({
      command: textAt(entry, 'command'),
      options: optionsOf(entry),
    })),
    aliases: recordsAt(document, 'aliases').map((entry) => ({
      name: textAt(entry, 'name'),
      command: textAt(entry, 'command'),
      prepend: textsAt(entry, 'prependArgs'),
      append: textsAt(entry, 'appendArgs'),
      options: optionsOf(entry),
    })),
  };
}

function optionsOf(entry: Fields): Option[] {
  const key = 'options' in entry ? 'options' : 'flags';
  return recordsAt(entry, key).map((option) => ({ name: textAt(option, 'name'), value: textAt(option, 'default') }));
}

/** Replaces an alias and finds the defaults of the command's flags. A built-in command cannot be an alias. */
export function withPreferences(words: readonly string[], preferences: Preferences): PreferredWords {
  const { aliases, defaults, credentialPlugins } = preferences;
  const globals = parseFlagLines(globalFlags);
  const [at = words.length] = plainPlaces(words, globals);
  const name = words[at] ?? '';
  const isBuiltIn = commandEntries.some((entry) => entry.name === name);
  const alias = isBuiltIn ? undefined : aliases.find((one) => one.name === name);
  const replaced = alias
    ? [...words.slice(0, at), ...alias.command.split(' '), ...alias.prepend, ...words.slice(at + 1), ...alias.append]
    : words;
  const plain = plainWords(replaced, globals);
  const fitting = defaults.filter(({ command }) => command.split(' ').every((word, i) => plain[i] === word));
  const options = [...fitting.flatMap((one) => one.options), ...(alias?.options ?? [])];
  return {
    words: replaced,
    defaults: options.map(({ name: option, value }) => [option, value]),
    ...(credentialPlugins && { credentialPlugins }),
  };
}
