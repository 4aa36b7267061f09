import type { PodState } from '../model/pod-map.js';
import type { StatusNote } from '../model/status-in-words.js';
import type { StageName } from '../model/story.js';

/** The text alternative of a chart. */
export interface ChartText {
  readonly title: string;
  readonly now: string;
  readonly least: string;
  readonly most: string;
  readonly minutes: number;
}

/** All texts of the page. Other languages have the same keys. */
export const en = {
  otherLanguage: { code: 'de', name: 'Deutsch' },
  connecting: 'Connecting to the cluster …',
  loading: 'Loading …',
  failed: 'This did not work:',
  serverGone: 'Is the dashboard still running? Start it again and open the new link.',
  linkNeeded: 'This page opens with a one-time link. Create a new one in a terminal:',
  bearerToken: 'Bearer token',
  tokenHint: 'For a service account:',
  tokenRefused: 'the cluster does not accept this token',
  signIn: 'Sign in',
  signOut: 'Sign out',
  skipToContent: 'Skip to the content',
  menu: 'Menu',
  goTo: 'Go to',
  kindAndNamespace: 'Kind, and a namespace: pods kube-system',
  kinds: 'Kinds',
  pages: 'Pages',
  parts: 'Parts of this page',
  lightTheme: 'Light theme',
  darkTheme: 'Dark theme',
  noSuchPage: 'This page does not exist',
  overview: 'Overview',
  namespace: 'Namespace',
  allNamespaces: 'All namespaces',
  pods: 'Pods',
  nodesWithPods: 'Nodes with pods',
  podsByNode: 'Pods by node',
  withoutNode: 'Not scheduled',
  noPods: 'No pods yet. Create one: kubectl create deployment web --image=nginx',
  podState: {
    running: 'Running',
    waiting: 'Waiting',
    failing: 'Failing',
    done: 'Done',
    ending: 'Terminating',
  } as Record<PodState, string>,
  looks: {
    running: 'Healthy',
    waiting: 'In progress',
    failing: 'Failing',
    done: 'Done',
    ending: 'Terminating',
  } as Record<PodState, string>,
  podCount: (count: number) => (count === 1 ? '1 pod' : `${count} pods`),
  use: 'Use',
  notMeasured: 'No measurements yet: the first one follows within a minute after the start.',
  marks: { request: 'requested', limit: 'limit', allocatable: 'of' },
  chartSays: ({ title, now, least, most, minutes }: ChartText) =>
    `${title}: now ${now}, between ${least} and ${most} in the last ${minutes} minutes`,
  minutesAgo: (minutes: number) => `${minutes} min ago`,
  sinceOpened: 'since this page was opened',
  notReady: 'Not ready',
  cordoned: 'Cordoned',
  memory: 'Memory',
  warnings: 'Warnings',
  noWarnings: 'No warnings: nothing has failed recently.',
  lately: 'Recent events',
  nothingLately: 'No events in the last hour.',
  noEvents: 'No events in the last hour.',
  mayNotSeeEvents: 'You may not list events here.',
  sections: {
    workloads: 'Workloads',
    network: 'Network',
    config: 'Configuration',
    storage: 'Storage',
    accessControl: 'Access',
    cluster: 'Cluster',
    custom: 'Custom resources',
    other: 'Other kinds',
  },
  search: 'Search',
  labelSelector: 'Label selector',
  fieldSelector: 'Field selector',
  columns: 'Columns',
  usualColumns: 'Default columns',
  keys: { move: 'move', open: 'open' },
  logs: 'Logs',
  edit: 'Edit',
  delete: 'Delete',
  cancel: 'Cancel',
  objectCount: (count: number) => (count === 1 ? '1 object' : `${count.toLocaleString('en')} objects`),
  objectsOf: (matched: number, total: number) =>
    `${matched.toLocaleString('en')} of ${total.toLocaleString('en')} objects`,
  tableState: { loading: 'loading', live: 'live', past: 'as it was', failed: 'not connected' },
  nothingHere: 'Nothing here',
  noMatch: 'No object matches the search. Clear it to see all of them.',
  noneYet: 'There are no objects of this kind here. Choose another namespace, or create one.',
  mayNotList: (kinds: string) => `You may not list ${kinds}`,
  mayNotSee: (kind: string, name: string) => `You may not see ${kind} ${name}`,
  noSuchKind: (id: string) => `This cluster has no kind ${id}`,
  adviceFor: (code: number | undefined): string | undefined => {
    if (code === 400) return 'The selector cannot be read: change it, or clear it.';
    if (code === 401) return 'Your session with the cluster has ended: open a new link, or renew the credentials.';
    if (code === 403)
      return 'Ask an administrator of the cluster for a role that allows it, or choose another namespace.';
    if (code === 404) return 'It may have been deleted, or the cluster has another version.';
    if (code === 410) return 'The cluster no longer has this revision: choose a later one.';
    return 'The page tries again by itself.';
  },
  isGone: (kind: string, name: string) => `${kind} ${name} does not exist (any more)`,
  backToList: 'Back to the list',
  tabs: {
    summary: 'Summary',
    yaml: 'YAML',
    edit: 'Edit',
    events: 'Events',
    logs: 'Logs',
    terminal: 'Terminal',
    preview: 'Preview',
    story: 'Story',
    scheduling: 'Scheduling',
    rollout: 'Rollout',
  },
  status: 'Status',
  statusNote: ({ says, with: of }: StatusNote): string => {
    switch (says) {
      case 'ending':
        return 'It is being deleted.';
      case 'waitsForFinalizers':
        return `It is being deleted and waits for the finalizers ${of['finalizers']}.`;
      case 'gated':
        return `It waits for the scheduling gates ${of['gates']}.`;
      case 'notScheduled':
        return `It is not scheduled: ${of['why']}`;
      case 'containerWaits':
        return `Container ${of['name']} waits: ${of['why']}${of['ended'] ? `; it ended last with ${of['ended']}` : ''}${of['restarts'] ? `; ${of['restarts']} restarts` : ''}.`;
      case 'containerFailed':
        return `Container ${of['name']} ended: ${of['why']} (exit code ${of['code']}).`;
      case 'containerNotReady':
        return `Container ${of['name']} runs, but its readiness probe has not succeeded.`;
      case 'podFailed':
        return `The pod has failed${of['why'] ? `: ${of['why']}` : '.'}`;
      case 'podDone':
        return 'All containers have terminated successfully.';
      case 'podRuns':
        return `It runs on ${of['node']}, and all its containers are ready.`;
      case 'podStarts':
        return of['node'] ? `It is starting on ${of['node']}.` : 'It waits for the scheduler.';
      case 'replicas':
        return `${of['ready']} of ${of['desired']} replicas are ready.`;
      case 'stuck':
        return `The rollout does not progress: ${of['why']}`;
      case 'progressing':
        return `A rollout is in progress: ${of['why']}`;
      case 'condition':
        return of['value']
          ? `${of['type']} is ${of['value']}${of['why'] ? `: ${of['why']}` : ''}`
          : `Phase ${of['type']}.`;
      case 'ready':
        return 'It is ready.';
      case 'fine':
        return 'It exists, and reports no problems.';
    }
  },
  conditions: 'Conditions',
  type: 'Type',
  value: 'Status',
  since: 'Since',
  reason: 'Reason',
  facts: 'Facts',
  particulars: 'Details',
  noPodsSelected: 'It has no pods.',
  data: 'Data',
  noData: 'It has no data.',
  byteCount: (count: number) => (count === 1 ? '1 byte' : `${count.toLocaleString('en')} bytes`),
  show: 'Show',
  hide: 'Hide',
  binary: '(binary)',
  requests: 'Requests',
  limits: 'Limits',
  age: 'Age',
  node: 'Node',
  owner: 'Owner',
  labels: 'Labels',
  annotations: 'Annotations',
  version: 'Version',
  containers: 'Containers',
  name: 'Name',
  image: 'Image',
  state: 'State',
  restarts: 'Restarts',
  ports: 'Ports',
  ownersAndChildren: 'Owners and children',
  standsAlone: 'It has no owners and no dependents.',
  deleteTitle: (kind: string, name: string) => `Delete ${kind} ${name}?`,
  looksForOwned: 'Looking for dependents …',
  nothingGoesAlong: 'It has no dependents: nothing else is deleted.',
  goesAlong: (count: number) => `${count === 1 ? '1 dependent is' : `${count} dependents are`} deleted with it:`,
  staysBehind: (count: number) => `${count === 1 ? '1 object stays' : `${count} objects stay`} without an owner:`,
  propagation: 'Dependents',
  propagations: {
    Background: 'deleted afterwards (background)',
    Foreground: 'deleted first (foreground)',
    Orphan: 'not deleted (orphan)',
  },
  scale: 'Scale',
  scaleTitle: (kind: string, name: string) => `Scale ${kind} ${name}`,
  replicas: 'Replicas',
  replicasNow: (count: number) => `now ${count}`,
  restart: 'Restart',
  restarted: 'A rollout of new pods has begun.',
  rollBack: 'Roll back',
  rollBackTitle: (kind: string, name: string) => `Roll back ${kind} ${name}`,
  revision: 'Revision',
  cause: 'Cause',
  current: 'current',
  cordon: 'Cordon',
  uncordon: 'Uncordon',
  runNow: 'Run now',
  triggered: 'A job has been created.',
  copy: 'Copy',
  preview: 'Preview',
  previewTitle: 'Result on the server (dry run)',
  save: 'Save',
  saved: 'Saved.',
  create: 'Create',
  apply: 'Apply',
  tryOut: 'Try (dry run)',
  createHint: 'One object, or several separated by ---. Existing objects are changed.',
  wouldWork: 'would work',
  applied: 'applied',
  startOver: 'Start over',
  changedMeanwhile: 'changed by another user meanwhile',
  conflictTitle: 'Another user changed it while you edited. Their changes:',
  keepMine: 'Put my changes on top of theirs',
  takeTheirs: 'Discard mine',
  difference: 'Difference',
  noChange: 'Nothing would change.',
  fieldHelp: 'Help for the field',
  wholeObject: 'The whole object',
  fields: 'Fields',
  suggestions: 'Suggestions',
  suggestionCount: (count: number) => (count === 1 ? '1 suggestion' : `${count} suggestions`),
  spaceKey: 'Space',
  putCaret: 'Put the caret into a line to read what its field means.',
  noSchema: 'The server has no schema of this kind.',
  searchLogs: 'Search the logs',
  follow: 'Follow',
  times: 'Times',
  previousContainer: 'Before the last restart',
  lineCount: (count: number) => (count === 1 ? '1 line' : `${count.toLocaleString('en')} lines`),
  download: 'Download',
  noLines: 'Nothing has been written yet.',
  noLineMatches: 'No line contains this text.',
  noPorts: 'It declares no TCP port.',
  path: 'Path',
  load: 'Load',
  previewedPage: 'Preview',
  cutOff: 'truncated after 1 MiB',
  previewLimits: 'without scripts, links and what the page loads',
  leadsElsewhere: 'The response is a redirect, which a preview does not follow. Try another path.',
  container: 'Container',
  command: 'Command',
  reconnect: 'Start again',
  shellEnded: (how: string) => `The command has ended: ${how}`,
  network: 'Network',
  servicesAndPods: 'Services and their pods',
  service: 'Service',
  address: 'Address',
  noServices: 'No services here.',
  reachesNothing: 'reaches no pod',
  ready: 'ready',
  mayReach: 'Can this pod connect to that one?',
  from: 'From',
  to: 'To',
  port: 'Port',
  policyCount: (count: number) => (count === 1 ? '1 network policy' : `${count} network policies`),
  policiesAllow: 'The network policies allow it.',
  policiesBlock: 'Blocked by',
  noTrace: 'The server has no trace of this pod: the pod may be older than the server.',
  storyIntro:
    'Every step of this pod, with its time since the first one, its component, its object, and its file in the repository.',
  stages: {
    controller: { title: 'Controller', text: 'A controller noticed that a pod was missing, and created one.' },
    request: { title: 'Request', text: 'The API server has a request to create a pod.' },
    authentication: { title: 'Authentication', text: 'The user is identified by a certificate or a token.' },
    authorization: { title: 'Authorization', text: 'RBAC looks for a role that allows the request.' },
    admission: {
      title: 'Admission',
      text: 'The object is decoded, defaulted, validated, and accepted by admission plugins.',
    },
    store: { title: 'Store', text: 'It is written with a new revision.' },
    watch: { title: 'Watch', text: 'All watchers of pods receive it, and each later change.' },
    scheduler: { title: 'Scheduler', text: 'Nodes are filtered and scored; the pod is bound to the best one.' },
    kubelet: { title: 'Kubelet', text: 'The node starts its containers and reports their status.' },
    network: { title: 'Network', text: 'The pod gets a sandbox with an IP address.' },
  } as Record<StageName, { title: string; text: string }>,
  howItWorks: 'How it works',
  howIntro: 'Create a pod here and see what happens, step by step. The page of every pod shows its story too.',
  createAndWatch: 'Create and watch',
  isOnNode: (node: string) => `It is on ${node}`,
  isNotScheduled: 'It is not scheduled',
  wouldRunIf: 'A simulation shows that it would run if you:',
  nodesByPlugins: 'Nodes × plugins',
  total: 'Total',
  no: 'no',
  rolloutTitle: 'Replica sets over time',
  replay: 'Replay from the history',
  now: 'Now',
  moment: 'Moment',
  time: 'Time',
  backToNow: 'Back to now',
  whatChanged: 'What changed since?',
  changesSince: (a: string, b: string) => `What changed from revision ${a} to ${b || 'now'}`,
  changeKinds: { created: 'created', changed: 'changed', deleted: 'deleted' },
  close: 'Close',
  access: 'Access',
  whoCanTitle: 'Who can do this, and can I?',
  verb: 'Verb',
  kind: 'Kind',
  who: 'Who',
  role: 'Role',
  binding: 'Binding',
  you: 'you',
  groups: 'Groups',
  youMay: (verb: string, resource: string) => `You may ${verb} ${resource}`,
  youMayNot: (verb: string, resource: string) => `You may not ${verb} ${resource}`,
  noRoleAllows: 'No role that is bound to you or your groups has a rule for it.',
  mayNotSeeRoles: 'You may not list roles and bindings, so it cannot be shown who else may.',
  whatYouMay: (user: string) => `What ${user} may do`,
  quota: 'Quota',
  noQuotas: 'No quotas: usage is not limited here.',
  storage: 'Storage',
  claims: 'Claims',
  noClaims: 'No claims here.',
  claim: 'Claim',
  size: 'Size',
  storageClass: 'Class',
  volume: 'Volume',
  usedBy: 'Used by',
  storageClasses: 'Storage classes',
  volumes: 'Volumes',
  provisioner: 'Provisioner',
  whenReleased: 'When released',
  policy: 'Network policy',
  restricts: 'Restricts',
  noPolicies: 'No network policies here: every pod can connect to every other.',
  reload: 'Reload',
  reloadAdvice: 'The dashboard may have been updated while this page was open: reload it.',
};

export type Words = typeof en;
