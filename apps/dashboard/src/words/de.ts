import type { PodState } from '../model/pod-map.js';
import type { StatusNote } from '../model/status-in-words.js';
import type { StageName } from '../model/story.js';
import type { Words } from './en.js';

const number = (count: number) => count.toLocaleString('de');

export const de: Words = {
  otherLanguage: { code: 'en', name: 'English' },
  connecting: 'Verbinde mit dem Cluster …',
  loading: 'Lade …',
  failed: 'Das ging nicht:',
  serverGone: 'Läuft das Dashboard noch? Starten Sie es neu und öffnen Sie den neuen Link.',
  linkNeeded: 'Diese Seite wird mit einem Einmal-Link geöffnet. Einen neuen gibt es im Terminal:',
  bearerToken: 'Bearer-Token',
  tokenHint: 'Für ein Servicekonto:',
  tokenRefused: 'der Cluster nimmt dieses Token nicht an',
  signIn: 'Anmelden',
  signOut: 'Abmelden',
  skipToContent: 'Zum Inhalt',
  menu: 'Menü',
  goTo: 'Gehe zu',
  kindAndNamespace: 'Art und Namensraum: pods kube-system',
  kinds: 'Arten',
  pages: 'Seiten',
  parts: 'Teile dieser Seite',
  lightTheme: 'Helles Design',
  darkTheme: 'Dunkles Design',
  noSuchPage: 'Diese Seite gibt es nicht',
  overview: 'Übersicht',
  namespace: 'Namensraum',
  allNamespaces: 'Alle Namensräume',
  pods: 'Pods',
  nodesWithPods: 'Knoten mit Pods',
  podsByNode: 'Pods nach Knoten',
  withoutNode: 'Nicht eingeplant',
  noPods: 'Noch keine Pods. Legen Sie welche an: kubectl create deployment web --image=nginx',
  podState: {
    running: 'Laufend',
    waiting: 'Wartend',
    failing: 'Fehlerhaft',
    done: 'Fertig',
    ending: 'Endend',
  } as Record<PodState, string>,
  looks: {
    running: 'Gesund',
    waiting: 'In Arbeit',
    failing: 'Fehlerhaft',
    done: 'Fertig',
    ending: 'Wird gelöscht',
  } as Record<PodState, string>,
  podCount: (count: number) => (count === 1 ? '1 Pod' : `${number(count)} Pods`),
  use: 'Verbrauch',
  notMeasured: 'Noch ist nichts gemessen: Die erste Messung kommt binnen einer Minute nach dem Start.',
  marks: { request: 'angefordert', limit: 'Grenze', allocatable: 'von' },
  chartSays: ({ title, now, least, most, minutes }) =>
    `${title}: jetzt ${now}, zwischen ${least} und ${most} in den letzten ${minutes} Minuten`,
  minutesAgo: (minutes) => `vor ${minutes} min`,
  sinceOpened: 'seit diese Seite offen ist',
  notReady: 'Nicht bereit',
  cordoned: 'Gesperrt',
  memory: 'Speicher',
  warnings: 'Warnungen',
  noWarnings: 'Keine Warnungen: In letzter Zeit ist nichts fehlgeschlagen.',
  lately: 'Was zuletzt geschah',
  nothingLately: 'In der letzten Stunde ist nichts geschehen.',
  noEvents: 'Keine Ereignisse in der letzten Stunde.',
  mayNotSeeEvents: 'Sie dürfen hier keine Ereignisse auflisten.',
  sections: {
    workloads: 'Workloads',
    network: 'Netzwerk',
    config: 'Konfiguration',
    storage: 'Speicher',
    accessControl: 'Zugriff',
    cluster: 'Cluster',
    custom: 'Eigene Ressourcen',
    other: 'Andere Arten',
  },
  search: 'Suchen',
  labelSelector: 'Label-Selektor',
  fieldSelector: 'Feld-Selektor',
  columns: 'Spalten',
  usualColumns: 'Übliche Spalten',
  keys: { move: 'bewegen', open: 'öffnen' },
  logs: 'Logs',
  edit: 'Bearbeiten',
  delete: 'Löschen',
  cancel: 'Abbrechen',
  objectCount: (count: number) => (count === 1 ? '1 Objekt' : `${number(count)} Objekte`),
  objectsOf: (matched: number, total: number) => `${number(matched)} von ${number(total)} Objekten`,
  tableState: { loading: 'lädt', live: 'live', past: 'wie es war', failed: 'nicht verbunden' },
  nothingHere: 'Hier ist nichts',
  noMatch: 'Kein Objekt passt zur Suche. Leeren Sie sie, um alle zu sehen.',
  noneYet: 'Hier gibt es keine Objekte dieser Art. Wählen Sie einen anderen Namensraum, oder legen Sie eines an.',
  mayNotList: (kinds: string) => `Sie dürfen ${kinds} nicht auflisten`,
  mayNotSee: (kind: string, name: string) => `Sie dürfen ${kind} ${name} nicht sehen`,
  noSuchKind: (id: string) => `Dieser Cluster hat keine Art ${id}`,
  adviceFor: (code: number | undefined): string | undefined => {
    if (code === 401)
      return 'Ihre Sitzung ist zu Ende: Öffnen Sie einen neuen Link, oder erneuern Sie die Zugangsdaten.';
    if (code === 403)
      return 'Fragen Sie, wer den Cluster betreibt, nach einer Rolle dafür, oder wählen Sie einen anderen Namensraum.';
    if (code === 404) return 'Es wurde vielleicht entfernt, oder der Cluster hat eine andere Version.';
    if (code === 410) return 'Der Cluster hat diesen Augenblick vergessen: Wählen Sie einen späteren.';
    return 'Die Seite versucht es von selbst wieder.';
  },
  isGone: (kind: string, name: string) => `${kind} ${name} gibt es nicht (mehr)`,
  backToList: 'Zurück zur Liste',
  tabs: {
    summary: 'Zusammenfassung',
    yaml: 'YAML',
    edit: 'Bearbeiten',
    events: 'Ereignisse',
    logs: 'Logs',
    terminal: 'Terminal',
    preview: 'Vorschau',
    story: 'Wie er entstand',
    scheduling: 'Einplanung',
    rollout: 'Rollout',
  },
  status: 'Zustand',
  statusNote: ({ says, with: of }: StatusNote): string => {
    switch (says) {
      case 'ending':
        return 'Es wird gelöscht.';
      case 'waitsForFinalizers':
        return `Es wird gelöscht und wartet auf die Finalizer ${of['finalizers']}.`;
      case 'gated':
        return `Er wartet auf die Scheduling-Gates ${of['gates']}.`;
      case 'notScheduled':
        return `Er ist nicht eingeplant: ${of['why']}`;
      case 'containerWaits':
        return `Container ${of['name']} wartet: ${of['why']}${of['ended'] ? `; zuletzt endete er mit ${of['ended']}` : ''}${of['restarts'] ? `; ${of['restarts']} Neustarts` : ''}.`;
      case 'containerFailed':
        return `Container ${of['name']} ist zu Ende: ${of['why']} (Exit-Code ${of['code']}).`;
      case 'containerNotReady':
        return `Container ${of['name']} läuft, aber seine Readiness-Probe war noch nicht erfolgreich.`;
      case 'podFailed':
        return `Der Pod ist fehlgeschlagen${of['why'] ? `: ${of['why']}` : '.'}`;
      case 'podDone':
        return 'Alle Container haben erfolgreich geendet.';
      case 'podRuns':
        return `Er läuft auf ${of['node']}, und alle Container sind bereit.`;
      case 'podStarts':
        return of['node'] ? `Er startet auf ${of['node']}.` : 'Er wartet auf den Scheduler.';
      case 'replicas':
        return `${of['ready']} von ${of['desired']} Replikaten sind bereit.`;
      case 'stuck':
        return `Der Rollout kommt nicht voran: ${of['why']}`;
      case 'progressing':
        return `Ein Rollout läuft: ${of['why']}`;
      case 'condition':
        return of['value']
          ? `${of['type']} ist ${of['value']}${of['why'] ? `: ${of['why']}` : ''}`
          : `Phase ${of['type']}.`;
      case 'fine':
        return 'Es ist da und meldet keine Probleme.';
    }
  },
  conditions: 'Bedingungen',
  type: 'Typ',
  value: 'Status',
  since: 'Seit',
  reason: 'Grund',
  facts: 'Angaben',
  age: 'Alter',
  node: 'Knoten',
  owner: 'Eigentümer',
  labels: 'Labels',
  annotations: 'Annotationen',
  version: 'Version',
  containers: 'Container',
  name: 'Name',
  image: 'Image',
  state: 'Zustand',
  restarts: 'Neustarts',
  ports: 'Ports',
  ownersAndChildren: 'Eigentümer und Kinder',
  standsAlone: 'Nichts besitzt es, und es besitzt nichts.',
  deleteTitle: (kind: string, name: string) => `${kind} ${name} löschen?`,
  looksForOwned: 'Suche, was mitgeht …',
  nothingGoesAlong: 'Es besitzt nichts: Sonst geht nichts mit.',
  goesAlong: (count: number) =>
    `Mit ihm ${count === 1 ? 'geht 1 Objekt' : `gehen ${number(count)} Objekte`}, die es besitzt:`,
  staysBehind: (count: number) =>
    `${count === 1 ? '1 Objekt bleibt' : `${number(count)} Objekte bleiben`} ohne Eigentümer zurück:`,
  propagation: 'Was es besitzt',
  propagations: {
    Background: 'geht danach (Background)',
    Foreground: 'geht zuerst (Foreground)',
    Orphan: 'bleibt (Orphan)',
  },
  scale: 'Skalieren',
  scaleTitle: (kind: string, name: string) => `${kind} ${name} skalieren`,
  replicas: 'Replikate',
  replicasNow: (count: number) => `jetzt ${number(count)}`,
  restart: 'Neu starten',
  restarted: 'Ein Rollout neuer Pods hat begonnen.',
  rollBack: 'Zurückrollen',
  rollBackTitle: (kind: string, name: string) => `${kind} ${name} zurückrollen`,
  revision: 'Revision',
  cause: 'Anlass',
  current: 'aktuell',
  cordon: 'Sperren',
  uncordon: 'Entsperren',
  runNow: 'Jetzt ausführen',
  triggered: 'Ein Job wurde angelegt.',
  copy: 'Kopieren',
  preview: 'Vorschau',
  previewTitle: 'Was der Server daraus machen würde (Dry-Run)',
  save: 'Speichern',
  saved: 'Gespeichert.',
  startOver: 'Von vorn',
  changedMeanwhile: 'inzwischen von anderen geändert',
  conflictTitle: 'Jemand anderes hat es geändert, während Sie es bearbeiteten. Deren Änderungen:',
  keepMine: 'Meine Änderungen darauf anwenden',
  takeTheirs: 'Meine verwerfen',
  difference: 'Unterschied',
  noChange: 'Nichts würde sich ändern.',
  fieldHelp: 'Hilfe zum Feld',
  wholeObject: 'Das ganze Objekt',
  fields: 'Felder',
  suggestions: 'Vorschläge',
  suggestionCount: (count) => (count === 1 ? '1 Vorschlag' : `${count} Vorschläge`),
  spaceKey: 'Leertaste',
  putCaret: 'Setzen Sie die Schreibmarke in eine Zeile, um zu lesen, was ihr Feld bedeutet.',
  noSchema: 'Der Server hat kein Schema dieser Art.',
  searchLogs: 'Logs durchsuchen',
  follow: 'Folgen',
  times: 'Zeiten',
  previousContainer: 'Vor dem letzten Neustart',
  lineCount: (count: number) => (count === 1 ? '1 Zeile' : `${number(count)} Zeilen`),
  download: 'Herunterladen',
  noLines: 'Noch wurde nichts geschrieben.',
  noLineMatches: 'Keine Zeile enthält diesen Text.',
  noPorts: 'Er hat keinen TCP-Port angegeben.',
  path: 'Pfad',
  load: 'Laden',
  previewedPage: 'Vorschau',
  cutOff: 'nach 1 MiB abgeschnitten',
  previewLimits: 'ohne Skripte, Links und was die Seite nachlädt',
  leadsElsewhere: 'Die Antwort ist eine Umleitung, der eine Vorschau nicht folgt. Versuchen Sie einen anderen Pfad.',
  container: 'Container',
  command: 'Befehl',
  reconnect: 'Neu beginnen',
  shellEnded: (how: string) => `Der Befehl ist zu Ende: ${how}`,
  network: 'Netzwerk',
  servicesAndPods: 'Services und die Pods, die sie erreichen',
  service: 'Service',
  address: 'Adresse',
  noServices: 'Hier gibt es keine Services.',
  reachesNothing: 'erreicht keinen Pod',
  ready: 'bereit',
  mayReach: 'Darf dieser Pod jenen erreichen?',
  from: 'Von',
  to: 'Nach',
  port: 'Port',
  policyCount: (count: number) => (count === 1 ? '1 Netzwerkrichtlinie' : `${number(count)} Netzwerkrichtlinien`),
  policiesAllow: 'Die Netzwerkrichtlinien lassen es zu.',
  policiesBlock: 'Blockiert von',
  noTrace: 'Der Server hat keine Spur dieses Pods: Er ist vielleicht älter als der Server.',
  storyIntro:
    'Jeder Schritt auf dem Weg dieses Pods, mit der Zeit seit dem ersten, der Komponente, dem Objekt und der Datei dieses Repositorys, in der er geschieht.',
  stages: {
    controller: { title: 'Controller', text: 'Wem der Pod gehört, der sah, dass einer fehlte, und verlangte ihn.' },
    request: { title: 'Anfrage', text: 'Beim API-Server ist eine Anfrage, einen Pod anzulegen.' },
    authentication: { title: 'Authentifizierung', text: 'Wer fragt? Ein Zertifikat oder ein Token sagt es.' },
    authorization: { title: 'Autorisierung', text: 'Darf er das? RBAC sucht eine Rolle, die es erlaubt.' },
    admission: { title: 'Admission', text: 'Das Objekt wird gelesen, ergänzt, geprüft und beurteilt.' },
    store: { title: 'Speicher', text: 'Es wird unter einer neuen Revision geschrieben.' },
    watch: { title: 'Watch', text: 'Wer Pods beobachtet, hört davon, und von jeder Änderung, die folgt.' },
    scheduler: { title: 'Scheduler', text: 'Knoten werden gefiltert und bewertet; der Pod kommt auf den besten.' },
    kubelet: { title: 'Kubelet', text: 'Der Knoten startet die Container und meldet, wie es ihnen geht.' },
    network: { title: 'Netzwerk', text: 'Der Pod bekommt eine Sandbox mit eigener Adresse.' },
  } as Record<StageName, { title: string; text: string }>,
  howItWorks: 'Wie es funktioniert',
  howIntro:
    'Legen Sie hier einen Pod an und sehen Sie Schritt für Schritt, was geschieht. Auch die Seite jedes Pods hat seine Geschichte.',
  createAndWatch: 'Anlegen und zusehen',
  isOnNode: (node: string) => `Er ist auf ${node}`,
  isNotScheduled: 'Er ist nicht eingeplant',
  wouldRunIf: 'Er würde laufen, wie eine Simulation zeigt, wenn Sie:',
  nodesByPlugins: 'Knoten × Plugins',
  total: 'Summe',
  no: 'nein',
  rolloutTitle: 'ReplicaSets im Lauf der Zeit',
  replay: 'Aus der Geschichte abspielen',
  now: 'Jetzt',
  moment: 'Augenblick',
  time: 'Zeit',
  backToNow: 'Zurück zu jetzt',
  whatChanged: 'Was hat sich seitdem geändert?',
  changesSince: (a: string, b: string) => `Was sich von Revision ${a} bis ${b || 'jetzt'} geändert hat`,
  changeKinds: { created: 'angelegt', changed: 'geändert', deleted: 'gelöscht' },
  close: 'Schließen',
  access: 'Zugriff',
  whoCanTitle: 'Wer darf das, und darf ich es?',
  verb: 'Verb',
  kind: 'Art',
  who: 'Wer',
  role: 'Rolle',
  binding: 'Bindung',
  you: 'Sie',
  groups: 'Gruppen',
  youMay: (verb: string, resource: string) => `Sie dürfen ${resource} ${verb}`,
  youMayNot: (verb: string, resource: string) => `Sie dürfen ${resource} nicht ${verb}`,
  noRoleAllows: 'Keine Rolle, die an Sie oder Ihre Gruppen gebunden ist, hat eine Regel dafür.',
  mayNotSeeRoles: 'Sie dürfen Rollen und Bindungen nicht auflisten; wer sonst darf, kann nicht gezeigt werden.',
  whatYouMay: (user: string) => `Was ${user} darf`,
  quota: 'Quota',
  noQuotas: 'Keine Quotas: Nichts begrenzt, was hier verbraucht wird.',
  storage: 'Speicher',
  claims: 'Ansprüche (Claims)',
  noClaims: 'Hier gibt es keine Claims: Kein Pod bewahrt etwas auf.',
  claim: 'Claim',
  size: 'Größe',
  storageClass: 'Klasse',
  volume: 'Volume',
  usedBy: 'Benutzt von',
  storageClasses: 'Speicherklassen',
  reload: 'Neu laden',
  reloadAdvice: 'Das Dashboard wurde vielleicht erneuert, während diese Seite offen war: Laden Sie sie neu.',
};
