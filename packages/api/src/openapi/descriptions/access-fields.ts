type Words = Readonly<Record<string, string>>;

const rules: Words = {
  apiGroups: 'The groups that the rule is for; `*` for all.',
  nonResourceURLs: 'Paths that are not resources, such as /healthz; `*` at the end matches the rest.',
  resourceNames: 'The names of the objects that the rule is for. All by default.',
  resources: 'The resources that the rule is for; `*` for all.',
  verbs: 'The verbs that the rule is for; `*` for all.',
};

const user: Words = {
  extra: 'Further attributes of the user, from the authenticator.',
  groups: 'The groups of the user.',
  uid: 'The id of the user, which is never reused.',
};

const access: Words = {
  nonResourceAttributes: 'A request for a path that is not a resource. Not together with resourceAttributes.',
  resourceAttributes: 'A request for a resource. Not together with nonResourceAttributes.',
};

/** Authentication, authorization, roles, certificates and flow control. */
export const accessFields: Readonly<Record<string, Words>> = {
  'authentication-v1/BoundObjectReference': {
    apiVersion: 'The API version of the object.',
    kind: 'Pod, Secret or Node.',
    name: 'The name of the object.',
    uid: 'The uid of the object.',
  },
  'authentication-v1/SelfSubjectReviewStatus': { userInfo: 'The user that the server authenticated.' },
  'authentication-v1/TokenRequestSpec': {
    audiences: 'The intended recipients of the token. The API server by default.',
    boundObjectRef: 'The token is valid only as long as this object exists.',
    expirationSeconds:
      'How long the token is to be valid, 600 seconds at least. 3600 by default; the server may shorten it.',
  },
  'authentication-v1/TokenRequestStatus': { expirationTimestamp: 'When the token ends.', token: 'The token.' },
  'authentication-v1/TokenReviewSpec': {
    audiences: 'The audiences of the recipient. The token must be for one of them; for the API server by default.',
    token: 'The token to check.',
  },
  'authentication-v1/TokenReviewStatus': {
    audiences: 'Those of the audiences that the token is for.',
    authenticated: 'Whether the token is valid.',
    error: 'Why the token could not be checked.',
    user: 'The user of the token.',
  },
  'authentication-v1/UserInfo': { ...user, username: 'The name of the user.' },
  'authorization-v1/FieldSelectorAttributes': {
    rawSelector: 'The selector as text. Not together with requirements.',
    requirements: 'The selector in parts, all of which must be met.',
  },
  'authorization-v1/LabelSelectorAttributes': {
    rawSelector: 'The selector as text. Not together with requirements.',
    requirements: 'The selector in parts, all of which must be met.',
  },
  'authorization-v1/NonResourceAttributes': {
    path: 'The path of the request.',
    verb: 'The HTTP method in lower case.',
  },
  'authorization-v1/NonResourceRule': rules,
  'authorization-v1/ResourceRule': rules,
  'authorization-v1/ResourceAttributes': {
    fieldSelector: 'What the request is limited to by fields.',
    group: 'The group of the resource; `*` for all.',
    labelSelector: 'What the request is limited to by labels.',
    name: 'The name of the object. Empty for all.',
    namespace: 'The namespace. Empty for all, or for resources of the whole cluster.',
    resource: 'The resource; `*` for all.',
    subresource: 'The subresource. Empty for none.',
    verb: 'The verb, such as get or create; `*` for all.',
    version: 'The version of the resource; `*` for all.',
  },
  'authorization-v1/SelfSubjectAccessReviewSpec': access,
  'authorization-v1/SelfSubjectRulesReviewSpec': { namespace: 'The namespace. Required.' },
  'authorization-v1/SubjectAccessReviewSpec': { ...user, ...access, user: 'The name of the user.' },
  'authorization-v1/SubjectAccessReviewStatus': {
    allowed: 'Whether the request would be allowed.',
    denied: 'Whether it would be denied, whatever other authorizers decide. Not together with allowed.',
    evaluationError: 'An error during evaluation. The result may still be correct.',
    reason: 'Why it is allowed or refused.',
  },
  'authorization-v1/SubjectRulesReviewStatus': {
    evaluationError: 'Why the list is not complete.',
    incomplete: 'True if there may be more than is listed.',
    nonResourceRules: 'What may be done with paths that are not resources.',
    resourceRules: 'What may be done with resources.',
  },
  'rbac-v1/AggregationRule': {
    clusterRoleSelectors: 'Cluster roles with one of these labels contribute their rules to this one.',
  },
  'rbac-v1/ClusterRole': {
    aggregationRule: 'Selects cluster roles whose rules a controller copies to this one.',
    rules: 'What the role allows.',
  },
  'rbac-v1/Role': { rules: 'What the role allows, in its namespace.' },
  'rbac-v1/RoleRef': { kind: 'Role or ClusterRole.', name: 'The name of the role.' },
  'rbac-v1/Subject': {
    kind: 'User, Group or ServiceAccount.',
    name: 'The name.',
    namespace: 'The namespace of a service account. Absent for users and groups.',
  },
  'certificates-v1/CertificateSigningRequestSpec': {
    ...user,
    expirationSeconds: 'How long the certificate is to be valid, 600 seconds at least. The signer may issue another.',
    groups: 'The groups of the requesting user. Written by the server.',
    request: 'The PKCS#10 request in PEM.',
    signerName: 'The signer, such as kubernetes.io/kube-apiserver-client.',
    usages: 'What the key is for, such as digital signature or client auth.',
    username: 'The requesting user. Written by the server.',
  },
  'certificates-v1/CertificateSigningRequestStatus': {
    certificate: 'The certificate chain in PEM, once it is issued. Cannot be changed then.',
  },
  'flowcontrol-v1/ExemptPriorityLevelConfiguration': {
    lendablePercent: 'How much of its seats other levels may borrow, 0 to 100. 0 by default.',
    nominalConcurrencyShares: 'Its share of the seats, which counts only for borrowing. 0 by default.',
  },
  'flowcontrol-v1/LimitedPriorityLevelConfiguration': {
    borrowingLimitPercent: 'How many seats it may borrow, as a percentage of its own. Not limited by default.',
    lendablePercent: 'How much of its seats other levels may borrow, 0 to 100. 0 by default.',
    limitResponse: 'What happens to requests without a free seat.',
    nominalConcurrencyShares:
      'Its share of the seats of the server, compared with those of other levels. 30 by default.',
  },
  'flowcontrol-v1/LimitResponse': {
    queuing: 'How requests queue. Required for Queue, else absent.',
    type: 'Queue or Reject.',
  },
  'flowcontrol-v1/QueuingConfiguration': {
    handSize: 'Of how many queues a flow picks the shortest. 8 by default.',
    queueLengthLimit: 'How many requests may wait in a queue. 50 by default.',
    queues: 'The number of queues. 64 by default.',
  },
  'flowcontrol-v1/PriorityLevelConfigurationSpec': {
    exempt: 'Settings of an exempt level.',
    limited: 'Settings of a limited level.',
    type: 'Exempt: requests never wait. Limited: they take seats.',
  },
  'flowcontrol-v1/PriorityLevelConfigurationReference': { name: 'The priority level.' },
  'flowcontrol-v1/FlowSchemaSpec': {
    distinguisherMethod: 'How requests are divided into flows. All requests are one flow by default.',
    matchingPrecedence: 'Schemas with smaller numbers are tried first. 1000 by default; 1 to 10000.',
    priorityLevelConfiguration: 'The level of the requests that match.',
    rules: 'Which requests match; one rule is enough.',
  },
  'flowcontrol-v1/FlowDistinguisherMethod': { type: 'ByUser or ByNamespace.' },
  'flowcontrol-v1/PolicyRulesWithSubjects': {
    nonResourceRules: 'Requests for paths that are not resources.',
    resourceRules: 'Requests for resources.',
    subjects: 'Whose requests match.',
  },
  'flowcontrol-v1/ResourcePolicyRule': {
    apiGroups: 'The groups that the rule is for; `*` for all.',
    clusterScope: 'Whether requests without a namespace match. False by default.',
    namespaces: 'The namespaces that the rule is for; `*` for all.',
    resources: 'The resources that the rule is for; `*` for all.',
    verbs: 'The verbs that the rule is for; `*` for all.',
  },
  'flowcontrol-v1/NonResourcePolicyRule': {
    nonResourceURLs: 'Paths that are not resources, such as /healthz; `*` at the end matches the rest.',
    verbs: 'The verbs that the rule is for; `*` for all.',
  },
  'flowcontrol-v1/Subject': {
    group: 'The group, for Group.',
    kind: 'User, Group or ServiceAccount.',
    serviceAccount: 'The service account, for ServiceAccount.',
    user: 'The user, for User.',
  },
  'flowcontrol-v1/GroupSubject': { name: 'The group; `*` for all.' },
  'flowcontrol-v1/UserSubject': { name: 'The user; `*` for all.' },
  'flowcontrol-v1/ServiceAccountSubject': {
    name: 'The service account; `*` for all of the namespace.',
    namespace: 'Its namespace.',
  },
};
