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
