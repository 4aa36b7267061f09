import type { PodState } from '../model/pod-map.js';
import type { StatusNote } from '../model/status-in-words.js';
import type { StageName } from '../model/story.js';

/** What a chart says to those who do not see it. */
export interface ChartText {
  readonly title: string;
  readonly now: string;
  readonly least: string;
  readonly most: string;
  readonly minutes: number;
}

/** Every sentence of the page. Other languages have the same names. */
export const en = {
  otherLanguage: { code: 'de', name: 'Deutsch' },
  connecting: 'Connecting to the cluster …',
  loading: 'Loading …',
  failed: 'This did not work:',
  serverGone: 'Is the dashboard still running? Start it again and open the new link.',
  linkNeeded: 'This page is opened by a one-time link. Ask for a new one in a terminal:',
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
  noSuchPage: 'There is no such page',
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
  notMeasured: 'Nothing has been measured yet: the first measurement comes within a minute of the start.',
  marks: { request: 'requested', limit: 'limit', allocatable: 'of' },
  chartSays: ({ title, now, least, most, minutes }: ChartText) =>
    `${title}: now ${now}, between ${least} and ${most} in the last ${minutes} minutes`,
  minutesAgo: (minutes: number) => `${minutes} min ago`,
  sinceOpened: 'since this page was opened',
  notReady: 'Not ready',
  cordoned: 'Cordoned',
  memory: 'Memory',
  warnings: 'Warnings',
  noWarnings: 'No warnings: nothing has failed lately.',
  lately: 'What happened lately',
  nothingLately: 'Nothing happened in the last hour.',
  noEvents: 'No events: nothing has happened to it in the last hour.',
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
    if (code === 403) return 'Ask who runs the cluster for a role that allows it, or choose another namespace.';
    if (code === 404) return 'It may have been removed, or the cluster is of another version.';
    if (code === 410) return 'The cluster has forgotten this moment: choose a later one.';
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
    story: 'How it came to be',
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
        return 'All containers have ended successfully.';
      case 'podRuns':
        return `It runs on ${of['node']}, and all its containers are ready.`;
      case 'podStarts':
        return of['node'] ? `It is starting on ${of['node']}.` : 'It waits for the scheduler.';
      case 'replicas':
        return `${of['ready']} of ${of['desired']} replicas are ready.`;
      case 'stuck':
        return `The rollout does not progress: ${of['why']}`;
      case 'progressing':
        return `A rollout is under way: ${of['why']}`;
      case 'condition':
        return of['value']
          ? `${of['type']} is ${of['value']}${of['why'] ? `: ${of['why']}` : ''}`
          : `Phase ${of['type']}.`;
      case 'ready':
        return 'It is ready.';
      case 'fine':
        return 'It exists, and reports no trouble.';
    }
  },
  conditions: 'Conditions',
  type: 'Type',
  value: 'Status',
  since: 'Since',
  reason: 'Reason',
  facts: 'Facts',
  particulars: 'Particulars',
  noPodsSelected: 'It has no pods.',
  data: 'Data',
  noData: 'It holds nothing.',
  byteCount: (count: number) => (count === 1 ? '1 byte' : `${count.toLocaleString('en')} bytes`),
  show: 'Show',
  hide: 'Hide',
  binary: '(no text)',
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
  standsAlone: 'Nothing owns it, and it owns nothing.',
  deleteTitle: (kind: string, name: string) => `Delete ${kind} ${name}?`,
  looksForOwned: 'Looking for what goes along …',
  nothingGoesAlong: 'It owns nothing: nothing else goes along.',
  goesAlong: (count: number) => `With it go ${count === 1 ? '1 object' : `${count} objects`} that it owns:`,
  staysBehind: (count: number) =>
    `${count === 1 ? '1 object stays' : `${count} objects stay`} behind without an owner:`,
  propagation: 'What it owns',
  propagations: {
    Background: 'goes afterwards (background)',
    Foreground: 'goes first (foreground)',
    Orphan: 'stays (orphan)',
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
  previewTitle: 'What the server would make of it (dry run)',
  save: 'Save',
  saved: 'Saved.',
  create: 'Create',
  apply: 'Apply',
  tryOut: 'Try (dry run)',
  createHint: 'One object, or several separated by ---. What is there already is changed.',
  wouldWork: 'would work',
  applied: 'applied',
  startOver: 'Start over',
  changedMeanwhile: 'changed by somebody else meanwhile',
  conflictTitle: 'Somebody else changed it while you edited. Their changes:',
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
  noLineMatches: 'No line holds this text.',
  noPorts: 'It declares no TCP port.',
  path: 'Path',
  load: 'Load',
  previewedPage: 'Preview',
  cutOff: 'cut off after 1 MiB',
  previewLimits: 'without scripts, links and what the page loads',
  leadsElsewhere: 'The answer is a redirect, which a preview does not follow. Try another path.',
  container: 'Container',
  command: 'Command',
  reconnect: 'Start again',
  shellEnded: (how: string) => `The command has ended: ${how}`,
  network: 'Network',
  servicesAndPods: 'Services and the pods that they reach',
  service: 'Service',
  address: 'Address',
  noServices: 'No services here.',
  reachesNothing: 'reaches no pod',
  ready: 'ready',
  mayReach: 'May this pod reach that one?',
  from: 'From',
  to: 'To',
  port: 'Port',
  policyCount: (count: number) => (count === 1 ? '1 network policy' : `${count} network policies`),
  policiesAllow: 'The network policies let it through.',
  policiesBlock: 'Blocked by',
  noTrace: 'The server has no trace of this pod: it may be older than the server.',
  storyIntro:
    'Every step of the way of this pod, with its time since the first one, the component that did it, the object that it did it to, and the file of this repository in which it happens.',
  stages: {
    controller: { title: 'Controller', text: 'Those who own it noticed that a pod was missing, and asked for one.' },
    request: { title: 'Request', text: 'The API server has a request to create a pod.' },
    authentication: { title: 'Authentication', text: 'Who asks? A certificate or a token says it.' },
    authorization: { title: 'Authorization', text: 'May they? RBAC looks for a role that allows it.' },
    admission: { title: 'Admission', text: 'The object is read, completed, validated and judged.' },
    store: { title: 'Store', text: 'It is written under a new revision.' },
    watch: { title: 'Watch', text: 'Everybody who watches pods hears of it, and of each change that follows.' },
    scheduler: { title: 'Scheduler', text: 'Nodes are filtered and scored; the pod is bound to the best one.' },
    kubelet: { title: 'Kubelet', text: 'The node starts its containers and reports how they are.' },
    network: { title: 'Network', text: 'The pod gets a sandbox with an address of its own.' },
  } as Record<StageName, { title: string; text: string }>,
  howItWorks: 'How it works',
  howIntro: 'Create a pod here and see what happens, step by step. The page of every pod has its story, too.',
  createAndWatch: 'Create and watch',
  isOnNode: (node: string) => `It is on ${node}`,
  isNotScheduled: 'It is not scheduled',
  wouldRunIf: 'It would run, as a simulation shows, if you:',
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
  whoCanTitle: 'Who may do this, and may I?',
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
  noQuotas: 'No quotas: nothing limits what is used here.',
  storage: 'Storage',
  claims: 'Claims',
  noClaims: 'No claims here: no pod keeps anything.',
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
  noPolicies: 'No network policies here: every pod reaches every other.',
  reload: 'Reload',
  reloadAdvice: 'The dashboard may have been renewed while this page was open: reload it.',
};

export type Words = typeof en;
