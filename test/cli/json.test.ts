import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import type { Noun, Verb } from '../../src/cli/verb/noun.ts';
import { actsOnSubAccounts } from '../../src/cli/verb/verb-options.ts';
import { type Tool, toolsFor } from '../../src/cli/assistants/tools.ts';
import { nouns } from '../../src/cli/nouns.ts';
import { answerSchema, type Endpoint } from '../../src/contract/endpoint.ts';
import { weekdays } from '../../src/contract/time/weekdays.ts';
import { signDelivery } from '../../src/contract/deliveries/signature.ts';
import { makeRequest } from '../../src/service/http/request.ts';
import { openEmbedded } from '../../src/service/embedded.ts';
import { Receiver } from '../support/receiver.ts';
import { isLongSweep } from '../support/sweeps.ts';
import { html, Site } from '../support/site.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { Home } from '../support/terminal-world.ts';

// With -o json a command prints exactly one JSON document: on stdout if it succeeds, on stderr if it fails.

/** The tools of an assistant that may do everything. */
let tools: ReadonlyMap<string, Tool>;
let home: Home;
let server: TestServer;
let receiver: Receiver;
let site: Site;

/** The arguments with which each verb succeeds. */
const samples: Record<string, (ids: Ids) => string[]> = {
  login: () => ['--api-key-stdin', '--base-url', server.baseUrl, '-p', 'work'],
  logout: () => ['-p', 'work'],
  'profiles list': () => [],
  'profiles show': () => ['sandbox'],
  'profiles use': () => ['sandbox'],
  'profiles rename': () => ['work', 'office'],
  'profiles remove': () => ['office', '--yes'],
  whoami: () => [],
  health: () => [],
  status: () => [],
  'keys current': () => [],
  'keys usage': () => [],
  'keys list': () => [],
  'keys get': ({ key }) => [key],
  'keys create': () => ['--label', 'x'],
  'keys update': ({ key }) => [key, '--label', 'y'],
  'keys revoke': ({ key }) => [key, '--yes'],
  'keys rotate': () => ['--yes'],
  'keys revoke-current': () => ['--confirm', 'Sandbox Agency'],
  'notifications list': () => [],
  'notifications read': ({ notification }) => [notification],
  'errors list': () => ['--since', '1d'],
  'config show': () => [],
  'config set': () => ['timezone=Europe/Berlin', 'quiet_hours=22:00-07:00', 'language='],
  'team list': () => [],
  'team invite': () => ['new@shop.example', '--name', 'New'],
  'team update': ({ member }) => [member, '--name', 'y'],
  'team accounts': () => [],
  'team switch': ({ own }) => [own],
  'team remove': ({ member }) => [member, '--yes'],
  'schedules list': () => [],
  'schedules get': ({ schedule }) => [schedule],
  'schedules create': () => ['x', '--every', 'day 9:00', '--task', 'x', '--yes'],
  'schedules update': ({ schedule }) => [schedule, '--name', 'y'],
  'schedules delete': ({ schedule }) => [schedule, '--yes'],
  'schedules pause': ({ schedule }) => [schedule],
  'schedules resume': ({ schedule }) => [schedule],
  'schedules run': ({ schedule }) => [schedule],
  'deals list': () => [],
  'deals get': ({ deal }) => [deal],
  'deals create': () => ['x', '--value', '12.5'],
  'deals update': ({ deal }) => [deal, '--stage', 'Won'],
  'deals delete': ({ deal }) => [deal, '--yes'],
  'pipelines list': () => [],
  'pipelines get': () => ['Sales'],
  'pipelines create': () => ['x', '--stage', 'New', '--stage', 'Won:won'],
  'pipelines update': () => ['Sales', '--name', 'y'],
  'pipelines delete': ({ pipeline }) => [pipeline, '--yes'],
  'notes list': ({ contact }) => ['--contact', contact],
  'notes create': ({ deal }) => ['x', '--deal', deal],
  'notes delete': ({ note }) => [note, '--yes'],
  'snapshots list': () => [],
  'snapshots create': () => ['x'],
  'snapshots show': ({ snapshot }) => [snapshot],
  'snapshots delete': ({ snapshot }) => [snapshot, '--yes'],
  'snapshots apply': ({ snapshot, account }) => [snapshot, account, '--yes'],
  'accounts list': () => [],
  'accounts get': ({ account }) => [account],
  'accounts create': () => ['x'],
  'accounts transfer': ({ account }) => [account, '--amount', '1'],
  'accounts top-up': () => ['--below', '1', '--to', '1', '--yes'],
  'accounts use': ({ account }) => [account],
  'accounts delete': ({ account }) => [account, '--confirm', 'sample'],
  credits: () => [],
  'billing plans': () => [],
  'billing show': () => [],
  'billing change': () => ['scale', '--preview'],
  'agency usage': () => ['--from', '7d'],
  'agency price': () => ['12.50'],
  'branding show': () => [],
  'branding update': () => ['--brand-name', 'x'],
  'batch list': () => [],
  dump: () => [join(home.path, 'account')],
  diff: () => [join(home.path, 'account'), '--only', 'keys'],
  apply: () => [join(home.path, 'account'), '--only', 'keys', '--yes'],
  'undo list': () => [],
  'schema account': () => [],
  'tags list': () => [],
  'tags create': () => ['x'],
  'tags update': ({ tag }) => [tag, '--name', 'y'],
  'tags delete': ({ tag }) => [tag, '--yes'],
  'lists list': () => [],
  'lists create': () => ['x'],
  'lists update': ({ list }) => [list, '--name', 'y'],
  'lists delete': ({ list }) => [list, '--yes'],
  'lists add': ({ list, contact }) => [list, contact],
  'lists remove': ({ list, contact }) => [list, contact],
  'contacts list': () => [],
  'contacts get': ({ contact }) => [contact],
  'contacts create': ({ number }) => [number],
  'contacts update': ({ contact }) => [contact, '--company', 'x'],
  'contacts import': () => [join(home.path, 'people.csv')],
  'contacts send': ({ contact }) => [contact, 'Hello'],
  'contacts messages': ({ contact }) => [contact],
  'contacts tag': ({ contact, tag }) => [contact, tag],
  'contacts untag': ({ contact }) => [contact, 'worn'],
  'contacts pause': ({ contact }) => [contact],
  'contacts resume': ({ contact }) => [contact],
  'contacts unarchive': ({ contact }) => [contact],
  'contacts delete': ({ contact }) => [contact, '--yes'],
  'messages list': () => [],
  'messages search': () => ['sample'],
  'messages get': ({ message }) => [message],
  'messages why': ({ message }) => [message],
  'sessions list': () => [],
  'sessions get': ({ session }) => [session],
  'sessions summarize': ({ session }) => [session],
  'sessions exports list': () => [],
  'sessions exports get': ({ chatExport }) => [chatExport],
  'sessions exports delete': ({ chatExport }) => [chatExport, '--yes'],
  'summaries list': () => [],
  'summaries get': ({ summary }) => [summary],
  'tasks list': () => [],
  'tasks get': ({ task }) => [task],
  'tasks create': () => ['x'],
  'tasks update': ({ task }) => [task, '--title', 'y'],
  'tasks complete': ({ task }) => [task],
  'tasks delete': ({ task }) => [task, '--yes'],
  'widgets list': () => [],
  'widgets get': ({ widget }) => [widget],
  'widgets create': () => ['x'],
  'widgets update': ({ widget }) => [widget, '--name', 'y'],
  'widgets delete': ({ widget }) => [widget, '--yes'],
  'widgets open': ({ widget }) => [widget],
  'events booking-page show': ({ bookedType }) => [bookedType],
  'events booking-page enable': ({ eventType }) => [eventType],
  'events booking-page disable': ({ bookedType }) => [bookedType],
  'events list': () => [],
  'events get': ({ eventType }) => [eventType],
  'events create': () => ['x'],
  'events update': ({ eventType }) => [eventType, '--name', 'y'],
  'events delete': ({ eventType }) => [eventType, '--yes'],
  'appointments slots': ({ eventType }) => [eventType],
  'appointments book': ({ contact, eventType }) => [contact, eventType, '2099-03-02T13:00:00Z'],
  'appointments list': () => [],
  'appointments agenda': () => [],
  'appointments get': ({ appointment }) => [appointment],
  'appointments reschedule': ({ appointment }) => [appointment, '2099-03-03T12:00:00Z'],
  'appointments cancel': ({ appointment }) => [appointment, '--reason', 'x'],
  'appointments export': () => [],
  'appointments calendars': () => [],
  'appointments import': ({ campaign }) => ['--campaign', campaign, '--wait'],
  'appointments import-status': ({ calendarImport }) => [calendarImport],
  'appointments delete': ({ appointment }) => [appointment, '--yes'],
  'channels list': () => [],
  'numbers list': () => [],
  'numbers get': () => ['+14155550100'],
  'numbers label': () => ['+14155550100', 'x'],
  'channels qr': ({ pairing }) => [pairing],
  'channels status': ({ number }) => [number],
  'channels disconnect': ({ pairing }) => [pairing, '--yes'],
  'campaigns list': () => [],
  'campaigns get': ({ campaign }) => [campaign],
  'campaigns create': () => ['x'],
  'campaigns update': ({ campaign }) => [campaign, '--name', 'y'],
  'campaigns delete': ({ campaign }) => [campaign, '--yes'],
  'campaigns tags list': ({ answered }) => [answered],
  'campaigns tags add': ({ campaign, tag }) => [campaign, tag, 'https://example.com/tagged'],
  'campaigns tags remove': ({ answered, tag }) => [answered, tag],
  'agents list': () => [],
  'agents get': ({ agent }) => [agent],
  'agents create': () => ['x'],
  'agents update': ({ agent }) => [agent, '--goal', 'y'],
  'agents configure': ({ agent }) => [agent, '--goal', 'y'],
  'agents hours': ({ agent }) => [agent, '--monday', '9:00-17:00'],
  'agents activate': ({ agent }) => [agent],
  'agents deactivate': ({ agent }) => [agent],
  'agents duplicate': ({ agent }) => [agent],
  'agents optimize': ({ agent }) => [agent, '--user-feedback', 'Be short', '--wait'],
  'agents diff': ({ spare }) => [spare],
  'agents publish-draft': ({ agent }) => [agent],
  'agents discard-draft': ({ agent }) => [agent, '--yes'],
  'agents tags list': ({ agent }) => [agent],
  'agents tags add': ({ agent }) => [agent, '--name', 'z'],
  'agents tags update': ({ agent, tag }) => [agent, tag, '--name', 'z'],
  'agents tags remove': ({ agent, tag }) => [agent, tag, '--yes'],
  'agents tags generate': ({ agent }) => [agent, '--wait'],
  'functions list': () => [],
  'functions get': ({ customFunction }) => [customFunction],
  'functions create': () => ['x', receiver.url()],
  'functions update': ({ customFunction }) => [customFunction, '--description', 'y'],
  'functions test': ({ customFunction }) => [customFunction],
  'functions secret rotate': ({ customFunction }) => [customFunction, '--yes'],
  'functions secret remove': ({ customFunction }) => [customFunction, '--yes'],
  'functions delete': ({ customFunction }) => [customFunction, '--yes'],
  'tool-servers list': () => [],
  'tool-servers get': ({ toolServer }) => [toolServer],
  'tool-servers create': () => ['x', receiver.url()],
  'tool-servers update': ({ toolServer }) => [toolServer, '--no-enabled'],
  'tool-servers delete': ({ toolServer }) => [toolServer, '--yes'],
  'agents functions list': ({ agent }) => [agent],
  'agents functions add': ({ agent, customFunction }) => [agent, customFunction],
  'agents functions remove': ({ agent, customFunction }) => [agent, customFunction],
  'agents tool-servers list': ({ agent }) => [agent],
  'agents tool-servers add': ({ agent, toolServer }) => [agent, toolServer],
  'agents tool-servers remove': ({ agent, toolServer }) => [agent, toolServer],
  'agents media list': ({ agent }) => [agent],
  'agents media add': ({ agent }) => [agent, join(home.path, 'picture.gif')],
  'agents sources attach': ({ agent, source }) => [agent, source],
  'agents sources detach': ({ agent, source }) => [agent, source],
  'agents delete': ({ spare }) => [spare, '--yes'],
  'routing explain': ({ number }) => ['--channel', 'chatapp', '--from', number, '--text', 'Hello'],
  'routing map': () => [],
  'routing status': () => [],
  'routing defaults list': () => [],
  'routing defaults set': ({ agent }) => ['sms', agent],
  'routing defaults clear': () => ['sms'],
  'routing rules list': () => [],
  'routing rules create': ({ agent }) => [agent, '--channels', 'sms', '--keywords', 'menu'],
  'routing rules update': ({ rule }) => [rule, '--keywords', 'prices'],
  'routing rules move': ({ rule, agent }) => [rule, agent],
  'routing rules delete': ({ rule }) => [rule, '--yes'],
  'routing channels set': ({ answered }) => ['sms', answered],
  'routing channels clear': () => ['sms'],
  'faqs list': () => [],
  'faqs get': ({ faq }) => [faq],
  'faqs create': ({ campaign }) => [campaign, 'x?', 'y'],
  'faqs update': ({ faq }) => [faq, '--answer', 'z'],
  'faqs import': ({ campaign }) => [join(home.path, 'faqs.csv'), '--campaign', campaign],
  'faqs export': () => [],
  'faqs reorder': ({ asked, faq }) => [asked, faq],
  'faqs link': ({ faq, campaign }) => [faq, campaign],
  'faqs unlink': ({ faq, campaign }) => [faq, campaign],
  'faqs fork': ({ faq, campaign }) => [faq, campaign, 'x?', 'y'],
  'faqs rebuild': ({ faq }) => [faq],
  'faqs generate': ({ campaign }) => [campaign, join(home.path, 'upload.txt')],
  'kb list': () => [],
  'kb get': ({ source }) => [source],
  'kb text': ({ source }) => [source],
  // No server listens there, so the import fails in the background.
  'kb import': () => ['http://127.0.0.1:9/x'],
  'kb discover': () => [site.url()],
  'kb estimate': () => [join(home.path, 'upload.txt')],
  'kb status': () => [],
  'kb cancel': () => [],
  'kb resume': () => [],
  'kb refresh': ({ source }) => [source],
  'kb cancel-refresh': () => [site.url()],
  'kb delete': ({ source }) => [source, '--yes'],
  'kb ask': ({ agent }) => [agent, 'x?'],
  'kb gaps': () => [],
  'kb gaps list': () => ['--frequent'],
  'kb gaps get': () => ['parking permits'],
  'kb gaps suggest': ({ gap }) => [gap],
  'kb gaps answer': ({ gap }) => [gap, 'y'],
  'kb gaps dismiss': ({ gap }) => [gap],
  'kb groups list': () => [],
  'kb groups get': ({ group }) => [group],
  'kb groups create': () => ['x'],
  'kb groups update': ({ group }) => [group, '--name', 'y'],
  'kb groups delete': ({ group }) => [group, '--yes'],
  'kb groups faqs': ({ group }) => [group],
  'kb groups add': ({ group, faq }) => [group, faq],
  'kb groups remove': ({ group, faq }) => [group, faq],
  'kb groups apply': ({ group, agent }) => [group, '--agent', agent],
  'kb groups unapply': ({ group, campaign }) => [group, '--campaign', campaign],
  'faqs dedupe': () => ['--yes'],
  'faqs dismiss-dedupe': () => [],
  'faqs delete': ({ faq }) => [faq, '--yes'],
  'templates list': () => [],
  'templates get': ({ template }) => [template],
  'templates create': () => ['x', 'y', '--language', 'en'],
  'templates opening': ({ campaign }) => [campaign, 'x', 'y', '--language', 'en'],
  'templates update': ({ template }) => [template, '--body', 'z'],
  'templates submit': ({ template }) => [template],
  'templates status': ({ template }) => [template],
  'templates preview': ({ template }) => [template],
  'templates lint': () => [join(home.path, 'template.yaml')],
  'templates send': ({ approved, contact }) => [approved, contact],
  'templates provider': () => [],
  'templates sync': () => [],
  'templates delete': ({ template }) => [template, '--yes'],
  'provider-templates list': () => [],
  'provider-templates create': () => ['x', 'y', '--language', 'de'],
  'provider-templates delete': ({ ownTemplate }) => [ownTemplate, '--yes'],
  'broadcasts list': () => [],
  'broadcasts get': ({ broadcast }) => [broadcast],
  'broadcasts contacts': ({ broadcast }) => [broadcast],
  'broadcasts recipients': ({ sending }) => [sending],
  'broadcasts check': ({ broadcast }) => [broadcast],
  'broadcasts wait': ({ sending }) => [sending, '--for', 'sending'],
  'broadcasts create': ({ contact }) => ['x', '--contacts', contact, '--body', 'x'],
  'broadcasts update': ({ broadcast }) => [broadcast, '--name', 'y'],
  'broadcasts submit': ({ broadcast }) => [broadcast],
  'broadcasts approve': ({ submitted }) => [submitted, '--yes'],
  'broadcasts pause': ({ sending }) => [sending],
  'broadcasts resume': ({ paused }) => [paused],
  'broadcasts cancel': ({ submitted }) => [submitted],
  'broadcasts delete': ({ broadcast }) => [broadcast, '--yes'],
  'links list': () => [],
  'links create': () => ['https://shop.example/'],
  'links delete': ({ link }) => [link, '--yes'],
  'webhooks list': () => [],
  'webhooks get': ({ webhook }) => [webhook],
  'webhooks events': () => [],
  'webhooks create': () => [receiver.url(), '--events', 'Replies'],
  'webhooks update': ({ webhook }) => [webhook, '--events', 'Replies,Reads'],
  'webhooks enable': ({ webhook }) => [webhook],
  'webhooks disable': ({ webhook }) => [webhook],
  'webhooks test': ({ webhook }) => [webhook],
  'webhooks health': () => [],
  'webhooks reenable': ({ webhook }) => [webhook],
  'webhooks doctor': ({ webhook }) => [webhook],
  'webhooks deliveries': ({ webhook }) => [webhook],
  'webhooks deliveries show': ({ delivery }) => [delivery],
  'webhooks deliveries resend': ({ delivery }) => [delivery],
  'webhooks replay': ({ webhook }) => [webhook, '--since', '1d'],
  'webhooks certify': () => [receiver.url()],
  'webhooks verify': () => [
    ...['--secret-stdin', '--signature', signature, '--timestamp', timestamp, '--body', join(home.path, 'upload.txt')],
    ...['--at', new Date(Number(timestamp) * 1000).toISOString()],
  ],
  'webhooks secret show': ({ webhook }) => [webhook],
  'webhooks secret rotate': ({ webhook }) => [webhook, '--yes'],
  'webhooks secret remove': ({ webhook }) => [webhook, '--yes'],
  'webhooks delete': ({ webhook }) => [webhook, '--yes'],
  'sandbox clock show': () => [],
  'sandbox clock freeze': () => [],
  'sandbox clock advance': () => ['1'],
  'sandbox clock run': () => [],
  'sandbox settle': () => [],
  'sandbox jobs show': () => [],
  'sandbox jobs hold': () => ['all'],
  'sandbox jobs release': () => [],
  'sandbox accounts create': () => ['x'],
  'sandbox accounts get': () => [],
  'sandbox accounts update': () => ['--credits', '5'],
  'sandbox main-key': () => [],
  'sandbox members add': () => ['Ann', 'ann@shop.example'],
  'sandbox members token': ({ member }) => [member],
  'sandbox channels add': () => ['chatapp', '+14155550111'],
  'sandbox uploads add': () => [join(home.path, 'upload.txt')],
  'sandbox inbound': ({ number }) => [number, 'Hello'],
  'sandbox comment': () => ['ada', 'Hello', '--post-id', 'post_1'],
  'sandbox follow': () => ['ada'],
  'sandbox chat': () => [],
  'sandbox receipt': ({ message }) => [message, 'read'],
  'sandbox ask': ({ agent }) => [agent, 'Hello'],
  'sandbox team-reply': ({ contact }) => [contact, 'Hello'],
  'sandbox review': ({ reviewed }) => [reviewed, 'approved'],
  'sandbox pairings scan': ({ pairing }) => [pairing],
  'sandbox pairings expire': ({ pairing }) => [pairing],
  'sandbox pairings drop': () => [connected],
  'sandbox events trigger': () => ['replies'],
  'sandbox deliveries list': () => [],
  'sandbox deliveries show': ({ delivery }) => [delivery],
  'sandbox deliveries resend': ({ delivery }) => [delivery],
  'sandbox requests list': () => [],
  'sandbox faults add': () => ['--path', '/nowhere', '--status', '503'],
  'analytics summary': () => ['--from', '7d'],
  'analytics credits': () => [],
  'analytics ai-cost': () => [],
  'analytics series': () => ['--group-by', 'channel'],
  'analytics outcomes': () => [],
  'analytics conversation-costs': () => [],
  'analytics dashboard': () => [],
  'analytics insights': () => [],
  export: () => [join(home.path, 'exported'), '--dataset', 'contacts'],
  'analytics export': () => ['--dataset', 'credits', '--checkpoint', join(home.path, 'state'), '--out', join(home.path, 'credits.csv')],
  'analytics report': () => ['--html', join(home.path, 'report.html'), '--yes'],
  'analytics activity': ({ contact }) => ['contact', contact],
  'sandbox demo': () => ['--messages', '50'],
  'sandbox save': () => [join(home.path, 'saved.db'), '--yes'],
  'sandbox load': () => [join(home.path, 'saved.db'), '--yes'],
  'sandbox rebuild-counts': () => [],
  'sandbox faults list': () => [],
  'sandbox faults clear': () => [],
  'sandbox reset': () => ['--confirm', 'Sandbox Agency'],
  api: () => ['GET', '/health'],
  openapi: () => [],
  'openapi search': () => ['webhook'],
  completion: () => ['bash'],
};

/** The signature of the file, with the key as the secret. */
const timestamp = String(Date.parse('2027-03-01T12:00:00.000Z') / 1000);
let signature = '';

interface Ids {
  /** The first account, a member of it, and the ID token of its owner. */
  readonly own: string;
  readonly member: string;
  readonly idToken: string;
  readonly notification: string;
  readonly key: string;
  readonly account: string;
  readonly snapshot: string;
  readonly deal: string;
  readonly schedule: string;
  readonly pipeline: string;
  readonly note: string;
  readonly tag: string;
  readonly list: string;
  readonly webhook: string;
  readonly delivery: string;
  /** A number that is not in use yet. */
  readonly number: string;
  /** A number whose pairing code waits to be scanned. */
  readonly pairing: string;
  readonly contact: string;
  readonly message: string;
  readonly session: string;
  readonly summary: string;
  readonly gap: string;
  readonly chatExport: string;
  readonly group: string;
  readonly task: string;
  readonly eventType: string;
  /** An event type with a booking page. */
  readonly bookedType: string;
  readonly widget: string;
  readonly appointment: string;
  readonly calendarImport: string;
  readonly campaign: string;
  /** A campaign with an agent and the tag. */
  readonly answered: string;
  /** A campaign with the FAQ and no other. */
  readonly asked: string;
  readonly faq: string;
  readonly source: string;
  readonly customFunction: string;
  readonly toolServer: string;
  readonly agent: string;
  /** An agent that nothing refers to. */
  readonly spare: string;
  readonly rule: string;
  readonly template: string;
  /** A template that can be sent. */
  readonly approved: string;
  /** A template in review. */
  readonly reviewed: string;
  /** The name of a template at the provider. */
  readonly ownTemplate: string;
  readonly broadcast: string;
  readonly submitted: string;
  readonly sending: string;
  readonly paused: string;
  readonly link: string;
}

/** A connected number. */
const connected = '+14155550178';

/**
 * The verbs with a document of their own: those that call several endpoints, show a part of a record, or wait for what they began.
 * All others print every field of the answer of their endpoint.
 */
const ownDocuments = new Set([
  'sandbox save',
  ...['accounts top-up', 'channels status'],
  ...['whoami', 'status', 'contacts import', 'faqs import', 'faqs export', 'kb import', 'kb status', 'kb refresh', 'templates preview'],
  ...[
    'appointments agenda',
    'appointments export',
    'appointments import',
    'agents diff',
    'functions test',
    'agents tags list',
    'agents tags generate',
    'campaigns tags list',
    'routing explain',
    'messages why',
  ],
  ...[
    'routing map',
    'webhooks get',
    'webhooks health',
    'webhooks doctor',
    'webhooks replay',
    'sandbox chat',
    'sandbox deliveries show',
    'keys usage',
  ],
]);

/** Whether a verb depends on the state that earlier verbs left. */
const goesOn = (words: string) => words === 'logout' || words.startsWith('profiles ');

/** The verbs that need more than arguments, such as an unfinished batch, an editor or a signal, and where they are tested. */
const testedElsewhere: Record<string, string> = {
  'batch show': 'test/cli/batch/batch.test.ts',
  'batch resume': 'test/cli/batch/batch.test.ts',
  'batch delete': 'test/cli/batch/batch.test.ts',
  'messages tail': 'test/cli/nouns/messages.test.ts',
  'sessions export': 'test/cli/nouns/sessions-export.test.ts',
  'notifications watch': 'test/cli/nouns/notifications.test.ts',
  undo: 'test/account-as-code/undo.test.ts',
  'sandbox clone': 'test/account-as-code/commands.test.ts',
  'tool-servers refresh': 'test/cli/nouns/tool-servers.test.ts',
  'tool-servers test': 'test/cli/nouns/tool-servers.test.ts',
  'agents media remove': 'test/cli/nouns/functions.test.ts',
  'channels pair': 'test/process/terminal.test.ts',
  'agents edit': 'test/cli/nouns/agents.test.ts',
  'agents test': 'test/cli/nouns/agents-test.test.ts',
  'agents restore': 'test/cli/nouns/agents-test.test.ts',
  'webhooks listen': 'test/process/webhooks.test.ts',
  serve: 'test/process/serve.test.ts',
  mcp: 'test/cli/nouns/mcp.test.ts',
};

/** The arguments with which verbs reach the service, which refuses them, where those of their sample do not. */
const refused: Record<string, readonly string[]> = {
  'channels pair': ['+14155550177'],
  'agents edit': ['x'],
  'agents test': ['--from-session', 'ses_0123456789abcdef'],
  mcp: ['--sub-account', 'x'],
  'sessions export': ['--from', '2027-01-01', '--to', '2027-01-02', '--format', 'json'],
  'agents restore': ['x'],
  'agents media remove': ['x', 'y'],
  'tool-servers refresh': ['x'],
  'tool-servers test': ['x', 'y'],
};

/** The folders of the store and of the profiles, which are restored before all other verbs. */
const restored = ['data', '.config'];

const commands: [words: string, noun: Noun, verb: Verb][] = [];
for (const entry of nouns) {
  const noun = await entry.load();
  for (const verb of noun.verbs) commands.push([`${noun.name} ${verb.name}`.trim(), noun, verb]);
}

/** The fields that every answer of an endpoint has. */
function requiredFields(endpoint: Endpoint): string[] {
  const { shape } = answerSchema(endpoint);
  return Object.keys(shape).filter((name) => !shape[name]?.safeParse(undefined).success);
}

/** In the order of the samples, because some need records of earlier ones. */
const order = Object.keys(samples);
commands.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));

let ids: Ids;

beforeAll(async () => {
  const everything = { toolsets: 'all', allowsWrites: true, allowsDestructive: true, isBound: false } as const;
  tools = new Map((await toolsFor(everything, nouns)).map((tool) => [tool.name, tool]));
  home = new Home();
  server = await startServer();
  receiver = await Receiver.open();
  site = await Site.open({ '/': html('Home', '<h1>Ferns</h1><p>We sell ferns.</p>') });
  home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data') };
  writeFileSync(join(home.path, 'upload.txt'), 'text');
  writeFileSync(join(home.path, 'picture.gif'), 'GIF89a');
  writeFileSync(join(home.path, 'faqs.csv'), 'question,answer\na?,b\n');
  writeFileSync(join(home.path, 'template.yaml'), 'name: x\nlanguage: en\nbody: y\n');
  writeFileSync(join(home.path, 'people.csv'), 'phone,first name\n+14155550133,Ada\n');
  signature = signDelivery(server.apiKey, timestamp, 'text');
  ids = await makeIds();
  for (const folder of restored) cpSync(join(home.path, folder), join(home.path, 'made', folder), { recursive: true });
});

function restore(): void {
  for (const folder of restored) {
    rmSync(join(home.path, folder), { recursive: true });
    cpSync(join(home.path, 'made', folder), join(home.path, folder), { recursive: true });
  }
}

afterAll(async () => {
  home.remove();
  await server.close();
  await receiver.close();
  await site.close();
});

// oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects by asserting it
type Call = (method: string, path: string, body?: object) => Promise<any>;

/** Calls the API and the sandbox on the store of the home folder. */
async function onStore<Result>(key: string, work: (call: Call, control: Call) => Promise<Result>): Promise<Result> {
  const data = join(home.path, 'data');
  const service = await openEmbedded(join(data, 'msgctl.db'), { version: 'test', receivers: { allowPrivate: true } });
  const token = readFileSync(join(data, 'sandbox-token'), 'utf8').trim();
  const caller =
    (root: string, credential: string): Call =>
    async (method, path, body) => {
      const answer = await service.fetch(
        makeRequest({
          method,
          target: root + path,
          header: (name) => (name === 'authorization' ? `Bearer ${credential}` : undefined),
          readBody: async () => Buffer.from(JSON.stringify(body ?? {})),
        }),
      );
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.body.join('')}`);
      return JSON.parse(answer.body.join('')) as unknown;
    };
  try {
    return await work(caller('/v1', key), caller('/sandbox', token));
  } finally {
    await service.close();
  }
}

/** Creates records through the API while the store is open once. @returns their ids */
async function makeIds(): Promise<Ids> {
  const plan = '{"key_requests_per_minute": 100000, "account_requests_per_minute": 100000}';
  const { api_key: key } = (await home.run('sandbox', 'main-key', '-o', 'json')).json as { api_key: string };
  await home.run('sandbox', 'clock', 'freeze');
  await home.run('sandbox', 'accounts', 'update', '--plan', plan, '--credits', '1000');
  return await onStore(key, async (call, control) => {
    const account = (await call('GET', '/users/me')).user.id as string;
    const made = async (path: string, body: object) => (Object.values(await call('POST', path, body))[1] as { id: string }).id;
    await call('POST', '/webhooks', { url: receiver.url(), subscribed_to: ['Replies'], name: 'sample' });
    await control('POST', `/accounts/${account}/events`, { event: 'Replies' });
    await control('POST', '/settle', {});
    const { deliveries } = await control('GET', '/deliveries?limit=1');
    await control('POST', '/jobs', { hold: ['broadcast'] });
    await control('POST', `/accounts/${account}/channels`, { channel: 'chatapp', identity: '+14155550100' });
    await control('POST', `/accounts/${account}/channels`, { channel: 'chatapp_web', identity: connected });
    let lastNumber = 2_000_000;
    const number = () => `+1415${++lastNumber}`;
    const contact = await made('/contacts', { phone_number: number() });
    await call('POST', `/contacts/${contact}/tags`, { name: 'worn' });
    const sent = await call('POST', '/contacts/send', { contact_id: contact, body: 'x' });
    const { chat_sessions: sessions } = await call('GET', '/chat-sessions?limit=1');
    const broadcast = async (...steps: string[]) => {
      const id = await made('/broadcasts', { name: 'x', channel: 'chatapp', body: 'x', contact_ids: [contact] });
      for (const step of steps) await call('POST', `/broadcasts/${id}/${step}`, {});
      return id;
    };
    await control('PATCH', `/accounts/${account}`, { template_provider: 'own_account' });
    const template = async (name: string, status: string) =>
      (await call('POST', '/chatapp-templates/docs', { name, language: 'en', body: 'x', status })).template_id as string;
    const approved = await template('approved', 'submitted');
    await control('POST', `/accounts/${account}/templates/${approved}/review`, { outcome: 'approved' });
    const ownTemplate = { name: 'own', language: 'en', body: 'x' };
    await call('POST', '/provider-templates', ownTemplate);
    const asked = await made('/campaigns', { name: 'x' });
    const agent = (await call('POST', '/agents', { name: 'x' })).agent_id as string;
    const tag = await made('/tags', { name: 'sample' });
    await call('PUT', `/agents/${agent}`, { tags: [{ name: 'sample', tag_id: tag }] });
    const answered = await made('/campaigns', { name: 'answered', agent_id: agent });
    await call('POST', `/campaigns/${answered}/tags`, { tag_id: tag, webhook: 'https://example.com/tagged' });
    await call('POST', `/agents/${agent}/optimize`, { user_feedback: 'Be kind' });
    await control('POST', '/settle', {});
    // A page whose website was refreshed.
    const source = (await call('POST', '/kb-sources/url', { url: site.url() })).source_id as string;
    await control('POST', '/settle', {});
    await call('POST', '/kb-sources/trigger-domain-refresh', { baseUrl: site.url() });
    await control('POST', '/settle', {});
    await control('PATCH', `/accounts/${account}`, { calendar: { connected: true } });
    const availability = Object.fromEntries(weekdays.map((day) => [day, { start_time: '12:00', end_time: '14:00' }]));
    const eventType = await made('/events', { name: 'x', availability });
    const booking = { contact_id: contact, event_id: eventType, start_time: '2099-03-02T12:00:00Z' };
    const rule = { type: 'keyword', channels: ['email'], match_config: { keywords: ['x'] } };
    const person = (name: string, role: string) =>
      control('POST', `/accounts/${account}/members`, { name, email: `${name}@shop.example`, permissions: [], role });
    const { notifications } = await call('GET', '/notifications?limit=1');
    // An agent that does not know an answer.
    await control('POST', `/accounts/${account}/channels`, { channel: 'sms', identity: '+14155550103' });
    const ignorant = (await call('POST', '/agents', { name: 'ignorant' })).agent_id as string;
    const learning = await made('/campaigns', { name: 'learning', agent_id: ignorant });
    await call('POST', '/faqs', { campaign_id: learning, question: 'Where is the shop?', answer: 'In Berlin.' });
    await call('PUT', '/entry-points/channel-defaults', { channel: 'sms', agent_id: ignorant });
    await control('POST', `/accounts/${account}/inbound`, { channel: 'sms', from: number(), text: 'Do you sell parking permits?' });
    const { gaps } = await call('GET', '/knowledge-gaps');
    return {
      own: account,
      notification: notifications[0].id as string,
      member: (await person('bob', 'member')).member_id as string,
      idToken: (await person('owner', 'owner')).id_token as string,
      key: ((await call('POST', '/api-keys', {})).key as { id: string }).id,
      account: await made('/subaccounts', { name: 'sample' }),
      schedule: await made('/scheduled-tasks', { name: 'sample', run_at: '2099-01-01', action: { type: 'task', title: 'x' } }),
      deal: await made('/deals', { title: 'sample' }),
      pipeline: await made('/pipelines', { name: 'sample', stages: [{ name: 'Other' }] }),
      note: await made('/notes', { entity_type: 'contact', entity_id: contact, text: 'x' }),
      snapshot: await made('/snapshots', { name: 'sample', include: ['lists'] }),
      tag,
      list: await made('/lists', { name: 'sample' }),
      webhook: 'sample',
      delivery: deliveries[0].id as string,
      number: number(),
      pairing: (await call('POST', '/channels/chatapp-web/connections', { phone_number: number() })).phone_number as string,
      contact,
      message: sent.message_id as string,
      session: sessions[0].id as string,
      summary: (await call('POST', `/chat-sessions/${sessions[0].id as string}/summary`)).summary.id as string,
      gap: gaps[0].id as string,
      chatExport: (await call('POST', '/chat-exports', { from: '2027-03-01', to: '2027-03-01', format: 'json' })).chat_export.id as string,
      group: await made('/kb-groups', { name: 'sample' }),
      task: await made('/tasks', { title: 'x' }),
      eventType,
      bookedType: await made('/events', { name: 'booked', booking_page: {} }),
      widget: await made('/widgets', { name: 'sample' }),
      appointment: (await call('POST', '/appointments', booking)).appointment_id as string,
      calendarImport: (await call('POST', '/appointments/import-calendar-events', { agent_id: agent, identifier: 'EMAIL' }))
        .job_id as string,
      campaign: await made('/campaigns', { name: 'x' }),
      answered,
      asked,
      faq: (await call('POST', '/faqs', { campaign_id: asked, question: 'x?', answer: 'y' })).faq_id as string,
      source,
      customFunction: await made('/custom-functions', { name: 'sample', url: receiver.url() }),
      toolServer: await made('/mcp-servers', { name: 'sample', url: receiver.url() }),
      agent,
      spare: (await call('POST', '/agents', { name: 'spare' })).agent_id as string,
      rule: (await call('POST', `/agents/${agent}/entry-points`, rule)).entry_point_id as string,
      template: await template('draft', 'draft'),
      approved,
      reviewed: await template('reviewed', 'submitted'),
      ownTemplate: ownTemplate.name,
      broadcast: await broadcast(),
      submitted: await broadcast('submit'),
      sending: await broadcast('submit', 'approve'),
      paused: await broadcast('submit', 'approve', 'pause'),
      link: await made('/short-links', { url: 'https://shop.example/' }),
    };
  });
}

describe.each(commands)('%s', (words, _noun, verb) => {
  it('has a sample, or a test elsewhere', () => {
    const file = testedElsewhere[words];
    if (file === undefined) expect(samples).toHaveProperty([words]);
    else for (const word of words.split(' ')) expect(readFileSync(file, 'utf8')).toContain(`'${word}'`);
  });

  const argv = () => samples[words]?.(ids) ?? [];

  it.runIf(words in samples)('prints exactly one JSON document when it succeeds', async () => {
    if (!goesOn(words)) restore();
    const sample = argv();
    // The input of login and verify.
    home.stdin = server.apiKey;
    const { env } = home;
    if (verb.endpoint?.access === 'person') home.env = { ...env, MSGCTL_API_KEY: ids.idToken };
    const { code, stdout, stderr } = await home.run(...words.split(' '), ...sample, '-o', 'json').finally(() => (home.env = env));
    expect([code, stderr]).toEqual([0, '']);
    const printed = JSON.parse(stdout) as object;
    expect(printed).toBeTypeOf('object');
    expect(stdout.endsWith('\n')).toBe(true);
    const tool = tools.get(words.replaceAll(/[ -]/g, '_'));
    if (tool) expect(new Validator(tool.outputSchema as object, '2020-12', false).validate(printed).errors).toEqual([]);
    if (verb.endpoint && !ownDocuments.has(words))
      expect(Object.keys(printed)).toEqual(expect.arrayContaining(requiredFields(verb.endpoint)));
  });

  /** Makes the command fail: with arguments that the service refuses, or with an unknown option. */
  async function fail(...wrong: string[]) {
    const { code, stdout, stderr } = await home.run(...words.split(' '), ...argv(), ...wrong, '-o', 'json');
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toMatchObject({ code: expect.any(String), message: expect.any(String), exit_code: code });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    return code;
  }

  it('prints exactly one JSON object on stderr when the command line is wrong', async () => {
    expect(await fail('--no-such-option')).toBe(2);
    // Each jq program takes memory of its own: `jq.test.ts` has some in `npm test` too.
    if (isLongSweep) expect(await fail('--jq', '.[')).toBe(2);
  });

  it.runIf(verb.endpoint ?? actsOnSubAccounts(verb))(
    'prints exactly one JSON object on stderr when the service refuses the request',
    async () => {
      const { env } = home;
      home.env = { MSGCTL_API_KEY: 'mk_wrong', MSGCTL_SANDBOX_TOKEN: 'wrong' };
      // The main account of another server is unknown to this one.
      const named = JSON.stringify(verb.arguments ?? []).includes('[account]') ? [ids.account] : [];
      const given = refused[words] ?? [];
      const code = await fail(...given, ...named, '--base-url', server.baseUrl).finally(() => (home.env = env));
      expect(code).toBe(4);
    },
  );
});
