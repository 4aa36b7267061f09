/** Flags that many commands have. */
export const printFlags = `
  --allow-missing-template-keys bool=true Ignore fields and map keys that a template names and an object has not (jsonpath and go-template).
  -o, --output string Output format.
  --show-managed-fields bool=false Print managedFields too (json and yaml).
  --template string Template, or its file, for -o go-template and go-template-file.
`;

export const filenameFlags = `
  -f, --filename stringSlice File, directory or URL with the objects.
  -k, --kustomize string Directory with a kustomization. Not with -f.
  -R, --recursive bool=false Process directories recursively.
`;

export const dryRunFlag = `
  --dry-run string=none?unchanged "none", "server" or "client". With client the object is only printed; with server the request is made and nothing is stored.
`;

export const selectorFlag = `
  -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
`;

/** Of the commands that change labels and annotations. */
export function metadataFlags(fieldManager: string): readonly string[] {
  return [
    filenameFlags,
    printFlags,
    dryRunFlag,
    selectorFlag,
    `
    --all bool=false Select all objects of the given types in the namespace.
    -A, --all-namespaces bool=false Look in all namespaces, whatever namespace the context or --namespace names.
    --field-manager string=${fieldManager} Name of the field manager of the changes.
    --field-selector string Field selector, such as --field-selector key1=value1,key2!=value2.
    --list bool=false Print what the objects have.
    --local bool=false Work on the given files without asking the server.
    --overwrite bool=false Replace values that exist.
    --resource-version string Change the object only if this is its resource version.
  `,
  ];
}
