import { type Endpoint, pathParameters, subAccountPlace } from '../../src/contract/endpoint.ts';
import { weekdays } from '../../src/contract/time/weekdays.ts';
import type { EndpointName } from '../../src/contract/endpoints.ts';
import type { Permission } from '../../src/contract/permissions.ts';
import type { Section } from '../../src/contract/sections.ts';
import { gaps } from '../../src/service/areas/gaps/table.ts';
import { refreshes, sources } from '../../src/service/areas/kb/table.ts';
import type { Answer, TestService } from './test-service.ts';

/** A valid call of an endpoint that succeeds for an authorized caller. */
export interface Sample {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body?: Record<string, unknown>;
  /** What the caller needs besides, because of what the record does. */
  readonly needs?: { readonly section: Section; readonly permission: Permission };
}

type InterfaceName = Exclude<EndpointName, `sandbox.${string}`>;

/** Returns a phone number that no other sample uses. */
const number = () => `+1415${++lastNumber}`;

let lastNumber = 2_000_000;

const unique = () => Math.random().toString(36).slice(2);

/** What a scheduled task that creates tasks needs. */
const byTasks = { section: 'Tasks', permission: 'contacts.edit' } as const;

/** Creates records in an account. If the account may not have a record, returns an id that does not exist. */
class Records {
  readonly #service: TestService;
  readonly #key: string;

  constructor(service: TestService, key: string) {
    this.#service = service;
    this.#key = key;
  }

  async make(path: string, body: Record<string, unknown>, noun: string): Promise<string> {
    const answer = (await this.#service.post(path, body, { key: this.#key })).body as Record<string, { id: string } | undefined>;
    return answer[noun]?.id ?? `${noun}_none`;
  }

  tag = () => this.make('/tags', { name: `sample ${unique()}` }, 'tag');
  list = () => this.make('/lists', { name: 'sample' }, 'list');
  apiKey = () => this.make('/api-keys', { label: 'sample' }, 'key');
  subAccount = () => this.make('/subaccounts', { name: 'sample' }, 'sub_account');
  schedule = () =>
    this.make('/scheduled-tasks', { name: 'sample', run_at: '2099-01-01', action: { type: 'task', title: 'x' } }, 'scheduled_task');
  widget = () => this.make('/widgets', { name: `sample ${unique()}` }, 'widget');
  pipeline = () => this.make('/pipelines', { name: `sample ${unique()}`, stages: [{ name: 'New' }] }, 'pipeline');
  deal = () => this.make('/deals', { title: 'sample' }, 'deal');
  note = async () => await this.make('/notes', { entity_type: 'task', entity_id: await this.task(), text: 'sample' }, 'note');
  snapshot = () => this.make('/snapshots', { name: 'sample', include: ['tags'] }, 'snapshot');
  snapshotJob = async (id: string) => {
    const body = { account_ids: [await this.subAccount()] };
    const answer = (await this.#service.post(`/snapshots/${id}/apply`, body, { key: this.#key })).body as { job_id?: string };
    return answer.job_id ?? 'job_none';
  };
  contact = () => this.make('/contacts', { phone_number: number() }, 'contact');
  campaign = (more: object = {}) => this.make('/campaigns', { name: 'sample', ...more }, 'campaign');
  faq = async (campaign?: string) => {
    const body = { campaign_id: campaign ?? (await this.campaign()), question: 'sample?', answer: 'sample' };
    const answer = (await this.#service.post('/faqs', body, { key: this.#key })).body as { faq_id?: string };
    return answer.faq_id ?? 'faq_none';
  };
  task = () => this.make('/tasks', { title: 'sample' }, 'task');
  agent = async (body: Record<string, unknown> = {}) =>
    ((await this.#service.post('/agents', { name: 'sample', ...body }, { key: this.#key })).body as { agent_id?: string }).agent_id ??
    'agt_none';
  customFunction = () => this.make('/custom-functions', { name: `sample_${unique()}`, url: page() }, 'custom_function');
  toolServer = () => this.make('/mcp-servers', { name: `sample_${unique()}`, url: page() }, 'mcp_server');
  media = async (agentId: string) =>
    await this.make(`/agents/${agentId}/media`, { storage_path: await this.image(), name: 'sample' }, 'media');
  async entryPoint(): Promise<string> {
    const rule = { type: 'keyword', channels: ['chatapp'], match_config: { keywords: ['sample'] } };
    const { body } = await this.#service.post(`/agents/${await this.agent()}/entry-points`, rule, { key: this.#key });
    return (body as { entry_point_id?: string }).entry_point_id ?? 'ent_none';
  }
  eventType = () => this.make('/events', { name: 'sample', availability: alwaysOpen, max_bookings_per_slot: 100 }, 'event');

  booking = async () => ({ contact_id: await this.contact(), event_id: await this.eventType(), start_time: noon });

  appointment = async () => await this.make('/appointments', await this.booking(), 'appointment');

  async calendarImport(): Promise<string> {
    const job = { campaign_id: await this.campaign(), identifier: 'EMAIL' };
    const { body } = await this.#service.post('/appointments/import-calendar-events', job, { key: this.#key });
    return (body as { job_id?: string }).job_id ?? 'imp_none';
  }

  /** Connects a calendar. */
  async calendar(): Promise<void> {
    await this.#service.sandbox('PATCH', `/accounts/${await this.account()}`, { calendar: { connected: true } });
  }

  async webhook(): Promise<string> {
    const name = `sample ${unique()}`;
    await this.make('/webhooks', { ...receiver, name }, 'webhook');
    return name;
  }

  /** A webhook with a delivery that failed. */
  async delivery(): Promise<{ webhookId: string; deliveryId: string }> {
    const webhookId = await this.webhook();
    await this.#service.sandbox('POST', `/accounts/${await this.account()}/events`, { event: 'Replies' });
    await this.#service.sandbox('POST', '/settle');
    const { body } = await this.#service.get(`/webhooks/${webhookId}/deliveries`, { key: this.#key });
    return { webhookId, deliveryId: (body as { deliveries?: { id: string }[] }).deliveries?.[0]?.id ?? 'dlv_none' };
  }

  /** A replay of nothing. */
  async replay(): Promise<{ webhookId: string; replayId: string }> {
    const webhookId = await this.webhook();
    const { body } = await this.#service.post(`/webhooks/${webhookId}/replay`, replayed, { key: this.#key });
    return { webhookId, replayId: (body as { replay_id?: string }).replay_id ?? 'rpl_none' };
  }

  /** The id of the key's account. */
  async account(): Promise<string> {
    return (await this.#service.get('/users/me', { key: this.#key })).body.user.id as string;
  }

  /** A notification, which only something that happens makes. */
  async notification(): Promise<string> {
    const account = await this.account();
    await this.#service.sandbox('PATCH', `/accounts/${account}`, { credits: 100 });
    await this.reachable();
    await this.make('/contacts/send', { contact_id: await this.contact(), body: 'a sample' }, 'message');
    const { body } = await this.#service.get('/notifications?kind=credits_low', { key: this.#key });
    return (body as { notifications: { id: string }[] }).notifications[0]?.id ?? 'ntf_none';
  }

  async member(): Promise<string> {
    const person = { name: 'sample', email: `${unique()}@sample.example`, permissions: [] };
    const { body } = await this.#service.sandbox('POST', `/accounts/${await this.account()}/members`, person);
    return (body as { member_id?: string }).member_id ?? 'mem_none';
  }

  /** A source, written directly to the store, because the API cannot create one without reading a page. */
  async source(): Promise<string> {
    const account = await this.account();
    return await this.#service.write(async (db) => (await sources.create(db, account, { status: 'ready' }, 0)).id);
  }

  group = () => this.make('/kb-groups', { name: `sample ${unique()}` }, 'kb_group');

  /** A gap, written directly to the store, because only a message that an agent cannot answer makes one. */
  async gap(): Promise<string> {
    const account = await this.account();
    const asked = { question: `asked by ${unique()}?`, count: 1, first_at: 0, last_at: 0 };
    return await this.#service.write(async (db) => (await gaps.create(db, account, asked, 0)).id);
  }

  async summary(): Promise<string> {
    return await this.make(`/chat-sessions/${await this.session()}/summary`, {}, 'summary');
  }

  /** An export that is ready. */
  async export(): Promise<string> {
    const id = await this.make('/chat-exports', exported, 'chat_export');
    await this.#service.sandbox('POST', '/settle');
    return id;
  }

  /** A cancelled refresh of a website. */
  async refresh(): Promise<string> {
    const account = await this.account();
    const ended = { host: 'shop.example', status: 'cancelled', total: 1, pending: 0 } as const;
    return await this.#service.write(async (db) => (await refreshes.create(db, account, ended, 0)).id);
  }

  /** The path of an uploaded image, written directly to the store. */
  async image(): Promise<string> {
    const account = await this.account();
    const path = `users/${account}/uploads/${unique()}/a.gif`;
    const content = Buffer.from('GIF89a');
    await this.#service.write((db) => db.insertInto('uploads').values({ path, account_id: account, content, created_at: 0 }).execute());
    return path;
  }

  /** The path of a file that was never uploaded. */
  file = async () => `users/${await this.account()}/uploads/upl_none/a.txt`;

  /** An agent with a draft. */
  async drafted(): Promise<string> {
    const id = await this.agent();
    await this.#service.post(`/agents/${id}/optimize`, { user_feedback: 'a sample' }, { key: this.#key });
    await this.#service.sandbox('POST', '/settle');
    return id;
  }

  /** Connects an own number. */
  async number(): Promise<string> {
    const identity = number();
    await this.#service.sandbox('POST', `/accounts/${await this.account()}/channels`, { channel: 'sms', identity });
    return identity;
  }

  /** Creates a contact and a channel on which it can receive messages. */
  async reachable(): Promise<string> {
    await this.#service.sandbox('POST', `/accounts/${await this.account()}/channels`, { channel: 'chatapp', identity: number() });
    return await this.contact();
  }

  async message(): Promise<string> {
    const { body } = await this.#service.post(
      '/contacts/send',
      { contact_id: await this.reachable(), body: 'a sample' },
      { key: this.#key },
    );
    return (body as { message_id: string }).message_id;
  }

  async session(): Promise<string> {
    const contact = await this.reachable();
    await this.make('/contacts/send', { contact_id: contact, body: 'a sample' }, 'message');
    const { body } = await this.#service.get('/chat-sessions', { key: this.#key });
    return (body as { chat_sessions: { id: string }[] }).chat_sessions[0]?.id ?? '';
  }

  async pairing(): Promise<string> {
    const phone = number();
    await this.make('/channels/chatapp-web/connections', { phone_number: phone }, 'connection');
    return phone;
  }

  async broadcast(...steps: string[]): Promise<string> {
    const id = await this.make('/broadcasts', await this.draft(), 'broadcast');
    for (const step of steps) await this.make(`/broadcasts/${id}/${step}`, {}, 'broadcast');
    return id;
  }

  /** A template. It can be submitted, and approved by a review. */
  async template(isApproved = false): Promise<string> {
    const body = { name: `sample ${unique()}`, language: 'en', body: 'a sample', ...(isApproved && { status: 'submitted' }) };
    const id = (await this.#service.post('/chatapp-templates/docs', body, { key: this.#key })).body.template_id as string | undefined;
    if (isApproved && id !== undefined)
      await this.#service.sandbox('POST', `/accounts/${await this.account()}/templates/${id}/review`, { outcome: 'approved' });
    return id ?? 'tpl_none';
  }

  /** Connects the account's own account at the template provider. */
  async ownAccount(): Promise<void> {
    await this.#service.sandbox('PATCH', `/accounts/${await this.account()}`, { template_provider: 'own_account' });
  }

  async providerTemplate(): Promise<string> {
    await this.ownAccount();
    const name = `sample ${unique()}`;
    await this.make('/provider-templates', { name, language: 'en', body: 'a sample' }, 'template');
    return name;
  }

  draft = async () => ({ name: 'sample', channel: 'chatapp', body: 'a sample', contact_ids: [await this.contact()] });
}

const alwaysOpen = Object.fromEntries(weekdays.map((day) => [day, { start_time: '00:00', end_time: '24:00' }]));

/** A slot of such an event type, later than the clocks of the tests. */
const noon = '2099-03-02T12:00:00Z';

const byAppointment = (body?: Record<string, unknown>) => async (records: Records) => ({
  params: { appointmentId: await records.appointment() },
  ...(body && { body }),
});

const exported = { from: '2027-03-01', to: '2027-03-01', format: 'json' };

const replayed = { from: '2027-03-01' };

const receiver = { url: 'http://127.0.0.1:9/hook', subscribed_to: ['Replies'] };

const byId = (make: (records: Records) => Promise<string>, body?: Record<string, unknown>) => async (records: Records) => ({
  params: { id: await make(records) },
  ...(body && { body }),
});

const byWebhook = (body?: Record<string, unknown>) => async (records: Records) => ({
  params: { webhookId: await records.webhook() },
  ...(body && { body }),
});

const byAgent = (body?: Record<string, unknown>) => async (records: Records) => ({
  params: { agentId: await records.agent() },
  ...(body && { body }),
});

const byEntryPoint = (body?: Record<string, unknown>) => async (records: Records) => ({
  params: { entryPointId: await records.entryPoint() },
  ...(body && { body }),
});

/** A call for a tagging rule of an agent. */
const byTaggingRule = (body?: Record<string, unknown>) => async (records: Records) => {
  const tagId = await records.tag();
  return { params: { agentId: await records.agent({ tags: [{ name: 'sample', tag_id: tagId }] }), tagId }, ...(body && { body }) };
};

const bySource = () => async (records: Records) => ({ params: { sourceId: await records.source() } });

/** A URL at which no server is listening. */
const page = () => `http://127.0.0.1:9/${unique()}`;

const byTemplate = (body?: Record<string, unknown>) => async (records: Records) => ({
  params: { templateId: await records.template() },
  ...(body && { body }),
});

const none = async () => ({});

const byFaq = (body?: (records: Records) => Promise<Record<string, unknown>>) => async (records: Records) => ({
  params: { faqId: await records.faq() },
  ...(body && { body: await body(records) }),
});

const ofCampaign = (fields: Record<string, unknown>) => async (records: Records) => ({ campaign_id: await records.campaign(), ...fields });

const texts = { question: 'asked by a sample?', answer: 'answered by a sample' };

const listMember = async (records: Records) => ({ params: { id: await records.list() }, body: { contact_ids: [await records.contact()] } });

const groupMember = async (records: Records) => ({ params: { id: await records.group() }, body: { faq_ids: [await records.faq()] } });

const groupUser = async (records: Records) => ({ params: { id: await records.group() }, body: { campaign_id: await records.campaign() } });

const pairing = async (records: Records) => ({ params: { phoneNumber: await records.pairing() } });

const ownNumber = (body?: Record<string, unknown>) => async (records: Records) => ({
  params: { number: await records.number() },
  ...(body && { body }),
});

/** Functions that build the sample call of each endpoint. */
const samples: Record<InterfaceName, (records: Records) => Promise<Sample>> = {
  'health.get': none,
  'openapi.get': none,
  'keys.current': none,
  'keys.usage': none,
  'keys.list': none,
  'keys.get': byId((records) => records.apiKey()),
  'keys.create': async () => ({ body: { label: 'made by a sample' } }),
  'keys.update': byId((records) => records.apiKey(), { label: 'changed by a sample' }),
  'keys.revoke': byId((records) => records.apiKey()),
  'keys.rotate': none,
  'keys.revokeCurrent': none,
  'whoami.get': none,
  'credits.get': none,
  'billing.plans': none,
  'billing.get': none,
  // A change would lower the rate limits that tests lift.
  'billing.change': async () => ({ body: { plan_id: 'growth', preview: true } }),
  'team.list': none,
  'team.invite': async () => ({ body: { name: 'invited by a sample', email: `${unique()}@sample.example` } }),
  'team.update': byId((records) => records.member(), { name: 'changed by a sample' }),
  'team.remove': byId((records) => records.member()),
  'team.accounts': none,
  'team.switch': async (records) => ({ body: { account_id: await records.account() } }),
  'config.get': none,
  'config.update': async () => ({ body: { business_name: 'Sample' } }),
  'notifications.stream': none,
  'notifications.list': none,
  'notifications.read': byId((records) => records.notification()),
  'notifications.readAll': none,
  'errors.list': none,
  'agency.overview': none,
  'schedules.list': none,
  'schedules.create': async () => ({
    body: { name: 'made by a sample', run_at: '2099-01-01', action: { type: 'task', title: 'x' } },
    needs: byTasks,
  }),
  'schedules.get': byId((records) => records.schedule()),
  'schedules.update': async (records) => ({
    ...(await byId((made) => made.schedule(), { name: 'changed by a sample' })(records)),
    needs: byTasks,
  }),
  'schedules.delete': async (records) => ({ ...(await byId((made) => made.schedule())(records)), needs: byTasks }),
  'schedules.pause': async (records) => ({ ...(await byId((made) => made.schedule())(records)), needs: byTasks }),
  'schedules.resume': async (records) => ({ ...(await byId((made) => made.schedule())(records)), needs: byTasks }),
  'schedules.run': async (records) => ({ ...(await byId((made) => made.schedule())(records)), needs: byTasks }),
  'pipelines.list': none,
  'pipelines.create': async () => ({ body: { name: `made ${unique()}`, stages: [{ name: 'New' }] } }),
  'pipelines.get': byId((records) => records.pipeline()),
  'pipelines.update': byId((records) => records.pipeline(), { stages: [{ name: 'Other' }] }),
  'pipelines.delete': byId((records) => records.pipeline()),
  'deals.list': none,
  'deals.create': async () => ({ body: { title: 'made by a sample' } }),
  'deals.get': byId((records) => records.deal()),
  'deals.update': byId((records) => records.deal(), { value: 12.5 }),
  'deals.delete': byId((records) => records.deal()),
  'notes.list': async (records) => ({ query: { entity_type: 'task', entity_id: await records.task() } }),
  'notes.create': async (records) => ({ body: { entity_type: 'task', entity_id: await records.task(), text: 'made by a sample' } }),
  'notes.delete': byId((records) => records.note()),
  'snapshots.list': none,
  'snapshots.create': async () => ({ body: { name: 'made by a sample', include: ['tags'] } }),
  'snapshots.get': byId((records) => records.snapshot()),
  'snapshots.delete': byId((records) => records.snapshot()),
  'snapshots.apply': async (records) => ({
    params: { id: await records.snapshot() },
    body: { account_ids: [await records.subAccount()] },
  }),
  'snapshots.job': async (records) => {
    const id = await records.snapshot();
    return { params: { id, jobId: await records.snapshotJob(id) } };
  },
  'agency.usage': none,
  'agency.getPrice': none,
  'agency.setPrice': async () => ({ body: { usd_per_1000: 12.5 } }),
  'branding.get': none,
  'branding.update': async () => ({ body: { brand_name: 'Sample', storefront: { enabled: true, slug: unique() } } }),
  'accounts.list': none,
  'accounts.create': async () => ({ body: { name: 'made by a sample' } }),
  'accounts.get': byId((records) => records.subAccount()),
  'accounts.delete': byId((records) => records.subAccount()),
  'accounts.transfer': byId((records) => records.subAccount(), { amount: 1 }),
  'tags.list': none,
  'tags.create': async () => ({ body: { name: `made ${unique()}` } }),
  'tags.update': byId((records) => records.tag(), { description: 'changed by a sample' }),
  'tags.delete': byId((records) => records.tag()),
  'lists.list': none,
  'lists.create': async () => ({ body: { name: 'made by a sample' } }),
  'lists.update': byId((records) => records.list(), { name: 'changed by a sample' }),
  'lists.delete': byId((records) => records.list()),
  'lists.addContacts': listMember,
  'lists.removeContacts': listMember,
  'contacts.list': none,
  'contacts.create': async () => ({ body: { phone_number: number() } }),
  'contacts.import': async () => ({ body: { contacts: [{ phone_number: number() }] } }),
  'contacts.get': byId((records) => records.contact()),
  'contacts.update': byId((records) => records.contact(), { company: 'changed by a sample' }),
  'contacts.delete': byId((records) => records.contact()),
  'contacts.tag': async (records) => ({ params: { id: await records.contact() }, body: { tag_id: await records.tag() } }),
  'contacts.untag': async (records) => {
    const [id, tagId] = [await records.contact(), await records.tag()];
    await records.make(`/contacts/${id}/tags`, { tag_id: tagId }, 'contact');
    return { params: { id, tagId } };
  },
  'contacts.pause': byId((records) => records.contact()),
  'contacts.resume': byId((records) => records.contact()),
  'contacts.unarchive': byId((records) => records.contact()),
  'messages.send': async (records) => ({ body: { contact_id: await records.reachable(), body: 'sent by a sample' } }),
  'messages.list': async (records) => ({ params: { contactId: await records.contact() } }),
  'messages.stream': none,
  'messages.search': none,
  'messages.get': byId((records) => records.message()),
  'messages.trace': byId((records) => records.message()),
  'exports.create': async () => ({ body: exported }),
  'exports.list': none,
  'exports.get': byId((records) => records.export()),
  'exports.delete': byId((records) => records.export()),
  'exports.download': byId((records) => records.export()),
  'summaries.list': none,
  'summaries.get': byId((records) => records.summary()),
  'summaries.summarize': byId((records) => records.session()),
  'sessions.list': none,
  'sessions.get': byId((records) => records.session()),
  'channels.list': none,
  'numbers.list': none,
  'numbers.get': ownNumber(),
  'numbers.update': ownNumber({ label: 'labelled by a sample' }),
  'channels.pair': async () => ({ body: { phone_number: number() } }),
  'channels.qr': pairing,
  'channels.status': pairing,
  'channels.disconnect': pairing,
  'agents.list': none,
  'agents.create': async () => ({ body: { name: 'made by a sample' } }),
  'agents.get': byAgent(),
  'agents.update': byAgent({ name: 'changed by a sample' }),
  'agents.botConfig': byAgent({ language: 'de' }),
  'agents.activeHours': byAgent({ availability: {} }),
  'agents.setActive': byAgent({ active: false }),
  'agents.duplicate': byAgent(),
  'agents.delete': byAgent(),
  'agents.publishDraft': async (records) => ({ params: { agentId: await records.drafted() } }),
  'agents.discardDraft': byAgent(),
  'agents.optimize': byAgent({ user_feedback: 'changed by a sample' }),
  'agents.generateTags': byAgent({}),
  'agents.addTag': byAgent({ tag: { name: 'made by a sample' } }),
  'agents.updateTag': byTaggingRule({ tag: { name: 'changed by a sample' } }),
  'agents.removeTag': byTaggingRule(),
  'agents.attachSources': async (records) => await byAgent({ kb_source_id: await records.source() })(records),
  'agents.detachSource': async (records) => ({ params: { agentId: await records.agent(), kbSourceId: await records.source() } }),
  'agents.detachSources': async (records) => await byAgent({ kb_source_ids: [await records.source()] })(records),
  'functions.list': none,
  'functions.create': async () => ({ body: { name: `made_${unique()}`, url: page() } }),
  'functions.get': byId((records) => records.customFunction()),
  'functions.update': byId((records) => records.customFunction(), { description: 'changed by a sample' }),
  'functions.delete': byId((records) => records.customFunction()),
  'functions.rotateSecret': byId((records) => records.customFunction()),
  'functions.removeSecret': byId((records) => records.customFunction()),
  'functions.test': byId((records) => records.customFunction(), { arguments: {} }),
  'functions.ofAgent': byAgent(),
  'functions.attach': async (records) => await byAgent({ custom_function_ids: [await records.customFunction()] })(records),
  'functions.detach': async (records) => ({
    params: { agentId: await records.agent(), functionId: await records.customFunction() },
  }),
  'toolServers.list': none,
  'toolServers.create': async () => ({ body: { name: `made_${unique()}`, url: page() } }),
  'toolServers.get': byId((records) => records.toolServer()),
  'toolServers.update': byId((records) => records.toolServer(), { enabled: false }),
  'toolServers.delete': byId((records) => records.toolServer()),
  'toolServers.refresh': byId((records) => records.toolServer()),
  'toolServers.test': byId((records) => records.toolServer(), { tool: 'sample' }),
  'toolServers.ofAgent': byAgent(),
  'toolServers.attach': async (records) => await byAgent({ mcp_server_ids: [await records.toolServer()] })(records),
  'toolServers.detach': async (records) => ({ params: { agentId: await records.agent(), serverId: await records.toolServer() } }),
  'media.list': byAgent(),
  'media.add': async (records) => await byAgent({ storage_path: await records.image(), name: 'made by a sample' })(records),
  'media.remove': async (records) => {
    const agentId = await records.agent();
    return { params: { agentId, mediaId: await records.media(agentId) } };
  },
  'media.serve': async () => ({ params: { token: 'none' } }),
  'faqs.list': none,
  'faqs.get': byFaq(),
  'faqs.create': async (records) => ({ body: await ofCampaign(texts)(records) }),
  'faqs.update': byFaq(async () => ({ answer: 'changed by a sample' })),
  'faqs.delete': byFaq(),
  'faqs.deleteMany': async (records) => ({ body: { faq_ids: [await records.faq()] } }),
  'faqs.import': async (records) => ({ body: await ofCampaign({ faqs: [texts] })(records) }),
  'faqs.reorder': async (records) => {
    const campaign = await records.campaign();
    return { body: { campaign_id: campaign, ordered_faq_ids: [await records.faq(campaign)] } };
  },
  'faqs.link': byFaq(ofCampaign({})),
  'faqs.unlink': byFaq(ofCampaign({})),
  'faqs.rebuild': byFaq(),
  'faqs.fork': byFaq(ofCampaign(texts)),
  'faqs.dedupe': async () => ({ body: {} }),
  'faqs.getDedupe': none,
  'faqs.dismissDedupe': none,
  'groups.list': none,
  'groups.create': async () => ({ body: { name: `made by a sample ${unique()}` } }),
  'groups.get': byId((records) => records.group()),
  'groups.update': byId((records) => records.group(), { description: 'changed by a sample' }),
  'groups.delete': byId((records) => records.group()),
  'groups.faqs': byId((records) => records.group()),
  'groups.addFaqs': groupMember,
  'groups.removeFaqs': groupMember,
  'groups.apply': groupUser,
  'groups.unapply': groupUser,
  'gaps.list': none,
  'gaps.get': byId((records) => records.gap()),
  'gaps.suggest': byId((records) => records.gap()),
  'gaps.answer': async (records) => ({
    params: { id: await records.gap() },
    body: { campaignId: await records.campaign(), answer: 'answered by a sample' },
  }),
  'gaps.dismiss': byId((records) => records.gap()),
  'kb.list': none,
  'kb.get': bySource(),
  'kb.text': bySource(),
  'kb.importPage': async () => ({ body: { url: page() } }),
  'kb.importFile': async (records) => ({ body: { storage_path: await records.file(), filename: 'a.txt', mime_type: 'text/plain' } }),
  'kb.importPages': async () => ({ body: { urls: [page()] } }),
  'kb.delete': bySource(),
  'kb.deleteMany': async (records) => ({ body: { sourceIds: [await records.source()] } }),
  'kb.discover': async () => ({ body: { url: page() } }),
  'kb.estimate': async () => ({ body: { urls: [page()] } }),
  'kb.cancel': async () => ({ body: {} }),
  'kb.resume': async () => ({ body: {} }),
  'kb.refresh': bySource(),
  'kb.compareHost': async () => ({ body: { baseUrl: page() } }),
  'kb.refreshHost': async () => ({ body: { baseUrl: page() } }),
  'kb.getRefresh': async () => ({ query: { baseUrl: page() } }),
  'kb.cancelRefresh': async (records) => ({ body: { jobId: await records.refresh() } }),
  'kb.generateFaqs': async (records) => ({ body: await ofCampaign({ storage_paths: [await records.file()] })(records) }),
  'routing.setDefault': async (records) => ({ body: { channel: 'chatapp', agent_id: await records.agent() } }),
  'routing.listDefaults': none,
  'routing.clearDefault': async () => ({ query: { channel: 'chatapp' } }),
  'routing.createRule': byAgent({ type: 'keyword', channels: ['chatapp'], match_config: { keywords: ['sample'] } }),
  'routing.listRules': byAgent(),
  'routing.updateRule': byEntryPoint({ enabled: false }),
  'routing.deleteRule': byEntryPoint(),
  'routing.status': none,
  'routing.setChannel': async (records) => ({
    params: { channel: 'chatapp' },
    body: { campaignId: await records.campaign({ agent_id: await records.agent() }) },
  }),
  'routing.clearChannels': async () => ({ body: { channels: ['chatapp'] } }),
  'campaigns.list': none,
  'campaigns.create': async () => ({ body: { name: 'made by a sample' } }),
  'campaigns.get': byId((records) => records.campaign()),
  'campaigns.update': byId((records) => records.campaign(), { name: 'changed by a sample' }),
  'campaigns.delete': byId((records) => records.campaign()),
  'campaigns.addTag': async (records) => ({
    params: { id: await records.campaign() },
    body: { tag_id: await records.tag(), webhook: 'https://example.com/tagged' },
  }),
  'campaigns.removeTag': async (records) => {
    const [id, tagId] = [await records.campaign(), await records.tag()];
    await records.make(`/campaigns/${id}/tags`, { tag_id: tagId, webhook: 'https://example.com/tagged' }, 'success');
    return { params: { id, tagId } };
  },
  'templates.provider': none,
  'templates.sync': none,
  'templates.list': none,
  'templates.get': byTemplate(),
  'templates.opening': async (records) => ({ body: await ofCampaign({ name: 'sample', language: 'en', body: 'a sample' })(records) }),
  'templates.create': async () => ({ body: { name: 'made by a sample', language: 'en', body: 'a sample' } }),
  'templates.update': byTemplate({ body: 'changed by a sample' }),
  'templates.submit': byTemplate(),
  'templates.status': byTemplate(),
  'templates.delete': byTemplate(),
  'templates.send': async (records) => ({
    body: { contactId: await records.reachable(), whatsappTemplateId: await records.template(true) },
  }),
  'provider-templates.list': async (records) => {
    await records.ownAccount();
    return {};
  },
  'provider-templates.create': async (records) => {
    await records.ownAccount();
    return { body: { name: `made ${unique()}`, language: 'en', body: 'a sample' } };
  },
  'provider-templates.delete': async (records) => ({ params: { name: await records.providerTemplate() } }),
  'broadcasts.list': none,
  'broadcasts.create': async (records) => ({ body: await records.draft() }),
  'broadcasts.get': byId((records) => records.broadcast()),
  'broadcasts.contacts': byId((records) => records.broadcast()),
  'broadcasts.recipients': byId((records) => records.broadcast()),
  'broadcasts.preview': byId((records) => records.broadcast()),
  'broadcasts.update': byId((records) => records.broadcast(), { name: 'changed by a sample' }),
  'broadcasts.delete': byId((records) => records.broadcast()),
  'broadcasts.submit': byId((records) => records.broadcast()),
  'broadcasts.approve': byId((records) => records.broadcast('submit')),
  'broadcasts.pause': byId((records) => records.broadcast('submit', 'approve')),
  'broadcasts.resume': byId((records) => records.broadcast('submit', 'approve', 'pause')),
  'broadcasts.cancel': byId((records) => records.broadcast('submit')),
  'tasks.list': none,
  'tasks.create': async () => ({ body: { title: 'made by a sample' } }),
  'tasks.get': byId((records) => records.task()),
  'tasks.update': byId((records) => records.task(), { title: 'changed by a sample' }),
  'tasks.delete': byId((records) => records.task()),
  'tasks.complete': byId((records) => records.task()),
  'widgets.list': none,
  'widgets.create': async () => ({ body: { name: `made ${unique()}` } }),
  'widgets.get': byId((records) => records.widget()),
  'widgets.update': byId((records) => records.widget(), { title: 'changed by a sample' }),
  'widgets.delete': byId((records) => records.widget()),
  'events.list': none,
  'events.create': async () => ({ body: { name: 'made by a sample' } }),
  'events.get': byId((records) => records.eventType()),
  'events.update': byId((records) => records.eventType(), { name: 'changed by a sample' }),
  'events.delete': byId((records) => records.eventType()),
  'appointments.slots': async (records) => ({ query: { event_id: await records.eventType(), start_time: noon, end_time: noon } }),
  'appointments.book': async (records) => ({ body: await records.booking() }),
  'appointments.get': byAppointment(),
  'appointments.list': none,
  'appointments.reschedule': byAppointment({ summary: 'changed by a sample' }),
  'appointments.cancel': byAppointment(),
  'appointments.delete': byAppointment(),
  'appointments.calendars': async (records) => {
    await records.calendar();
    return {};
  },
  'appointments.import': async (records) => ({ body: { campaign_id: await records.campaign(), identifier: 'EMAIL' } }),
  'appointments.importStatus': async (records) => ({ params: { jobId: await records.calendarImport() } }),
  'links.list': none,
  'links.create': async () => ({ body: { url: 'https://shop.example/spring' } }),
  'links.delete': byId((records) => records.make('/short-links', { url: 'https://shop.example/' }, 'short_link')),
  'links.follow': async () => ({ params: { slug: 'nowhere' } }),
  'webhooks.list': none,
  'webhooks.events': none,
  'webhooks.create': async () => ({ body: { ...receiver, name: `made ${unique()}` } }),
  'webhooks.update': byWebhook({ retries_enabled: true }),
  'webhooks.delete': byWebhook(),
  'webhooks.test': byWebhook(),
  'webhooks.health': byWebhook(),
  'webhooks.reenable': byWebhook(),
  'webhooks.getSigningSecret': byWebhook(),
  'webhooks.rotateSigningSecret': byWebhook(),
  'webhooks.removeSigningSecret': byWebhook(),
  'webhooks.deliveries.list': byWebhook(),
  'webhooks.deliveries.get': async (records) => ({ params: await records.delivery() }),
  'webhooks.deliveries.resend': async (records) => ({ params: await records.delivery() }),
  'webhooks.replay': byWebhook(replayed),
  'webhooks.replays.get': async (records) => ({ params: await records.replay() }),
  'analytics.summary': none,
  'analytics.credits': none,
  'analytics.aiCost': none,
  'analytics.series': none,
  'analytics.outcomes': none,
  'analytics.conversationCosts': none,
  'analytics.dashboard': async () => ({ query: { startDate: '2027-02-01', endDate: '2027-03-01' } }),
  'analytics.insights': async () => ({ query: { startDate: '2027-02-01', endDate: '2027-03-01' } }),
  'analytics.activity': async (records) => ({ query: { entityType: 'contact', entityId: await records.contact() } }),
};

/** Creates the records that a call of an endpoint needs in an account, and returns the call. */
export async function makeSample(service: TestService, key: string, name: string): Promise<Sample> {
  return await samples[name as InterfaceName](new Records(service, key));
}

/** Creates the sample calls of all endpoints. */
export async function makeSamples(service: TestService, key: string): Promise<Record<string, Sample>> {
  const made: Record<string, Sample> = {};
  for (const name of Object.keys(samples)) made[name] = await makeSample(service, key, name);
  return made;
}

/** Makes the call of a sample. @param subAccountId the sub-account to act as */
export async function callSample(
  service: TestService,
  spec: Endpoint,
  sample: Sample,
  key: string | null,
  subAccountId?: string,
): Promise<Answer> {
  const place = subAccountId === undefined ? null : subAccountPlace(spec);
  const path = pathParameters(spec.path).reduce<string>((at, name) => at.replace(`{${name}}`, sample.params?.[name] ?? ''), spec.path);
  const query = new URLSearchParams({ ...sample.query, ...(place === 'query' && { sub_account_id: subAccountId }) });
  const body = spec.method === 'GET' ? undefined : { ...sample.body, ...(place === 'body' && { sub_account_id: subAccountId }) };
  return await service.call(spec.method, `/v1${path}?${String(query)}`, body, { key });
}
