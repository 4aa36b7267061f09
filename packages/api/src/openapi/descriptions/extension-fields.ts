type Words = Readonly<Record<string, string>>;

const rule: Words = {
  apiGroups: 'The groups that the rule is for; `*` for all.',
  apiVersions: 'The versions that the rule is for; `*` for all.',
  operations: 'CREATE, UPDATE, DELETE, CONNECT, or `*` for all.',
  resourceNames: 'The names of the objects that the rule is for. All by default.',
  resources: 'The resources, such as pods, pods/log or `*/*`.',
  scope: 'Cluster, Namespaced, or `*` (default) for both.',
};

const webhook: Words = {
  admissionReviewVersions: 'Versions of the review that the webhook understands, the preferred one first.',
  clientConfig: 'Where the webhook is.',
  failurePolicy: 'Fail (default): a request is rejected if the webhook cannot be called. Ignore: it continues.',
  matchConditions: 'Expressions that must all be true for the webhook to be called. At most 64.',
  matchPolicy:
    'Equivalent (default): called for other versions of the same resource too. Exact: only for those of the rules.',
  name: 'The name of the webhook, a domain name with at least three parts.',
  namespaceSelector: 'Asked only for objects in namespaces with these labels. All by default.',
  objectSelector: 'Asked only for objects with these labels, before or after the change. All by default.',
  reinvocationPolicy: 'Never (default), or IfNeeded: asked again if a later webhook changed the object.',
  rules: 'Operations on resources that the webhook is called for.',
  sideEffects: 'None or NoneOnDryRun. Requests for a dry run are refused if there may be others.',
  timeoutSeconds: 'How long to wait for an answer, 1 to 30. 10 by default.',
};

const policySpec: Words = {
  auditAnnotations: 'Notes for the audit log that the policy makes.',
  failurePolicy: 'Fail (default): a request is rejected if the policy cannot be evaluated. Ignore: it continues.',
  matchConditions: 'Expressions that must all be true for the policy to be evaluated. At most 64.',
  matchConstraints: 'Which requests the policy is for. Required.',
  mutations: 'The changes, made one after another.',
  paramKind: 'The kind of the objects that hold parameters. None by default.',
  reinvocationPolicy: 'Never, or IfNeeded: evaluated again if something later changed the object.',
  validations: 'What must be true of the object.',
  variables: 'Expressions with names that later ones may use, as variables.name.',
};

const bindingSpec: Words = {
  matchResources: 'Which requests of the policy the binding is for. All of them by default.',
  paramRef: 'The objects with parameters.',
  policyName: 'The policy. A binding to one that does not exist has no effect.',
  validationActions: 'What happens when a validation fails: Deny, Warn or Audit. Deny and Warn exclude each other.',
};

const service: Words = {
  name: 'The name of the service.',
  namespace: 'The namespace of the service.',
  path: 'The path that requests are sent to.',
  port: 'The port of the service. 443 by default.',
};

const client: Words = {
  caBundle: 'Certificates in PEM that verify the certificate of the webhook. Those of the system by default.',
  service: 'The service of the webhook. Not together with url.',
  url: 'The address of the webhook: https, without user, query and fragment. Not together with service.',
};

/** Admission webhooks and policies, custom resources and aggregated servers. */
export const extensionFields: Readonly<Record<string, Words>> = {
  'admissionregistration-v1/ApplyConfiguration': {
    expression: 'A CEL expression that returns an Object, which is merged into the object as server-side apply does.',
  },
  'admissionregistration-v1/JSONPatch': { expression: 'A CEL expression that returns a list of JSONPatch operations.' },
  'admissionregistration-v1/AuditAnnotation': {
    key: 'The key of the note; the name of the policy and a slash are put before it.',
    valueExpression: 'A CEL expression that returns the text of the note, or null for none.',
  },
  'admissionregistration-v1/ExpressionWarning': {
    fieldRef: 'The expression that is meant.',
    warning: 'What is wrong with its types.',
  },
  'admissionregistration-v1/MatchCondition': {
    expression: 'A CEL expression that returns a boolean.',
    name: 'The name of the condition, a qualified name.',
  },
  'admissionregistration-v1/MatchResources': {
    excludeResourceRules: 'Requests that are left out.',
    matchPolicy:
      'Equivalent (default): matches other versions of the same resource too. Exact: only those of the rules.',
    namespaceSelector: 'Only objects in namespaces with these labels. All by default.',
    objectSelector: 'Only objects with these labels, before or after the change. All by default.',
    resourceRules: 'The requests that match, of which one rule is enough.',
  },
  'admissionregistration-v1/MutatingAdmissionPolicyBindingSpec': bindingSpec,
  'admissionregistration-v1/MutatingAdmissionPolicySpec': policySpec,
  'admissionregistration-v1/MutatingWebhook': webhook,
  'admissionregistration-v1/MutatingWebhookConfiguration': { webhooks: 'The webhooks, asked one after another.' },
  'admissionregistration-v1/Mutation': {
    applyConfiguration: 'The change as a configuration that is applied.',
    jsonPatch: 'The change as a JSON patch.',
    patchType: 'ApplyConfiguration or JSONPatch.',
  },
  'admissionregistration-v1/NamedRuleWithOperations': rule,
  'admissionregistration-v1/RuleWithOperations': rule,
  'admissionregistration-v1/ParamKind': {
    apiVersion: 'The group and version of the parameters.',
    kind: 'The kind of the parameters.',
  },
  'admissionregistration-v1/ParamRef': {
    name: 'The object with parameters. Not together with selector.',
    namespace: 'Its namespace. For kinds in namespaces, that of the object under review by default.',
    parameterNotFoundAction: 'Allow or Deny, if there are no parameters.',
    selector: 'Objects with parameters by their labels; the policy is evaluated with each.',
  },
  'admissionregistration-v1/ServiceReference': service,
  'admissionregistration-v1/TypeChecking': {
    expressionWarnings: 'Expressions that do not fit the types of what they match.',
  },
  'admissionregistration-v1/ValidatingAdmissionPolicyBindingSpec': bindingSpec,
  'admissionregistration-v1/ValidatingAdmissionPolicySpec': policySpec,
  'admissionregistration-v1/ValidatingAdmissionPolicyStatus': {
    typeChecking: 'Whether the expressions fit the types of what they match. Absent while it is checked.',
  },
  'admissionregistration-v1/ValidatingWebhook': webhook,
  'admissionregistration-v1/ValidatingWebhookConfiguration': { webhooks: 'The webhooks, asked at the same time.' },
  'admissionregistration-v1/Validation': {
    expression: 'A CEL expression that returns true where the object is right.',
    message: 'The message of a refusal. Required if the expression has line breaks.',
    messageExpression: 'CEL that returns the message of a refusal. Used instead of message unless it fails.',
    reason: 'The reason of the refusal: Unauthorized, Forbidden, Invalid (default) or RequestEntityTooLarge.',
  },
  'admissionregistration-v1/Variable': {
    expression: 'A CEL expression that returns the value.',
    name: 'The name, an identifier of CEL. Unique in the policy.',
  },
  'admissionregistration-v1/WebhookClientConfig': client,
  'apiextensions-v1/CustomResourceColumnDefinition': {
    description: 'What the column shows.',
    format: 'How a value is shown, such as name for the first column.',
    jsonPath: 'The JSONPath of the value in the object.',
    name: 'The heading.',
    priority: 'Columns above 0 are shown only in wide tables. 0 by default.',
    type: 'integer, number, string, boolean or date.',
  },
  'apiextensions-v1/CustomResourceConversion': {
    strategy: 'None (default): only apiVersion is changed. Webhook: a webhook converts objects.',
    webhook: 'The webhook. Required for Webhook, else absent.',
  },
  'apiextensions-v1/WebhookConversion': {
    clientConfig: 'Where the webhook is.',
    conversionReviewVersions: 'Versions of the review that the webhook understands, the preferred one first.',
  },
  'apiextensions-v1/CustomResourceDefinitionNames': {
    categories: 'Groups of resources that it belongs to, such as all.',
    kind: 'The kind of the objects, in CamelCase.',
    listKind: 'The kind of lists. The kind with List at its end by default.',
    plural: 'The name in the plural, in lower case, as in paths.',
    shortNames: 'Short names for the command line.',
    singular: 'The name in the singular. The kind in lower case by default.',
  },
  'apiextensions-v1/CustomResourceDefinitionStatus': {
    acceptedNames: 'The names that are in use for the resource.',
    storedVersions:
      'Versions in which objects were ever stored. Remove one only when all objects are stored in another.',
  },
  'apiextensions-v1/CustomResourceDefinitionVersion': {
    additionalPrinterColumns: 'Columns of tables. The age by default.',
    deprecated: 'If true, clients of the version are warned.',
    deprecationWarning: 'The warning, instead of the usual one. At most 256 bytes.',
    name: 'The name of the version, such as v1beta1.',
    schema: 'What objects of the version may be.',
    selectableFields: 'Fields by which objects can be selected. At most 8.',
    served: 'Whether the version is served.',
    storage: 'Whether objects are stored in the version. True for exactly one.',
    subresources: 'Endpoints beside that of the object.',
  },
  'apiextensions-v1/CustomResourceSubresources': {
    scale: 'Lets autoscalers and `kubectl scale` change the number of replicas.',
    status: 'Gives status an endpoint of its own; other writes leave it as it is.',
  },
  'apiextensions-v1/CustomResourceSubresourceScale': {
    labelSelectorPath: 'The path of the label selector as text. Needed for autoscaling.',
    specReplicasPath: 'The path of the desired number of replicas, below .spec.',
    statusReplicasPath: 'The path of the number of replicas, below .status.',
  },
  'apiextensions-v1/CustomResourceValidation': { openAPIV3Schema: 'The structural schema of the objects.' },
  'apiextensions-v1/ExternalDocumentation': {
    description: 'The description of the page.',
    url: 'The address of the page.',
  },
  'apiextensions-v1/SelectableField': {
    jsonPath: 'The field, such as .spec.color. A string, boolean or integer, and not in metadata.',
  },
  'apiextensions-v1/ServiceReference': service,
  'apiextensions-v1/WebhookClientConfig': client,
  'apiextensions-v1/ValidationRule': {
    fieldPath: 'The field that a failure is reported at, below the place of the rule.',
    message: 'The message of a refusal. Required if the rule has line breaks.',
    messageExpression: 'CEL that returns the message of a refusal. Used instead of message unless it fails.',
    optionalOldSelf: 'If true, oldSelf is an optional value and the rule is evaluated on creation too.',
    reason: 'FieldValueInvalid (default), FieldValueForbidden, FieldValueRequired or FieldValueDuplicate.',
    rule: 'A CEL expression that returns true where the value is right; the value is self. With oldSelf it is evaluated on updates only.',
  },
  'apiextensions-v1/JSONSchemaProps': {
    $ref: 'Not allowed in structural schemas.',
    $schema: 'Not allowed in structural schemas.',
    additionalItems: 'Not allowed in structural schemas.',
    additionalProperties: 'The schema of the values of a map. Not together with properties.',
    allOf: 'Schemas that the value must all match.',
    anyOf: 'Schemas of which the value must match at least one.',
    default: 'The value of a field that is absent.',
    definitions: 'Not allowed in structural schemas.',
    dependencies: 'Not allowed in structural schemas.',
    description: 'What the value means.',
    enum: 'The values that are allowed.',
    example: 'An example of a value.',
    exclusiveMaximum: 'If true, the value must be less than maximum, not equal.',
    exclusiveMinimum: 'If true, the value must be greater than minimum, not equal.',
    externalDocs: 'Where to read more.',
    format: 'The form of the value, such as date-time. Unknown ones are ignored.',
    id: 'Not allowed in structural schemas.',
    items: 'The schema of the items of a list.',
    maxItems: 'The most items of a list.',
    maxLength: 'The most characters of a text.',
    maxProperties: 'The most fields of an object.',
    maximum: 'The largest number.',
    minItems: 'The fewest items of a list.',
    minLength: 'The fewest characters of a text.',
    minProperties: 'The fewest fields of an object.',
    minimum: 'The smallest number.',
    multipleOf: 'A number must be a multiple of this.',
    not: 'A schema that the value must not match.',
    nullable: 'If true, the value may be null.',
    oneOf: 'Schemas of which the value must match exactly one.',
    pattern: 'A regular expression that a text must match.',
    patternProperties: 'Not allowed in structural schemas.',
    properties: 'The fields of an object.',
    required: 'The fields that must be there.',
    title: 'A short name for the value.',
    type: 'array, boolean, integer, number, object or string.',
    uniqueItems: 'Must not be true: use x-kubernetes-list-type set.',
    'x-kubernetes-embedded-resource': 'If true, the value is a whole object with apiVersion, kind and metadata.',
    'x-kubernetes-int-or-string': 'If true, the value is an integer or a text.',
    'x-kubernetes-list-map-keys': 'The keys of the items of a keyed list.',
    'x-kubernetes-list-type': 'atomic (default), set or map: how lists are merged.',
    'x-kubernetes-map-type': 'granular (default) or atomic: how objects are merged.',
    'x-kubernetes-preserve-unknown-fields': 'If true, fields that the schema does not name are kept.',
    'x-kubernetes-validations': 'Rules in CEL.',
  },
  'apiregistration-v1/APIServiceSpec': {
    caBundle: 'Certificates in PEM that verify the certificate of the server. Those of the system by default.',
    group: 'The group that the server serves.',
    groupPriorityMinimum: 'Groups with larger numbers come first. 1 to 20000.',
    insecureSkipTLSVerify: 'If true, the certificate of the server is not verified. Not together with caBundle.',
    service: 'The service of the server. Absent for what this server serves itself.',
    version: 'The version that the server serves.',
    versionPriority: 'Versions with larger numbers come first in their group. 1 to 1000.',
  },
  'apiregistration-v1/ServiceReference': {
    name: 'The name of the service.',
    namespace: 'The namespace of the service.',
    port: 'The port of the service. 443 by default.',
  },
};
