/** A JSON Schema, as far as examples are made of it. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

/** The instant of examples, and what happens an hour later. */
const instant = '2027-03-01T09:30:00.000Z';
const laterInstant = '2027-03-01T10:30:00.000Z';

/** Values of fields by their names, wherever they stand. */
const byName: Readonly<Record<string, unknown>> = {
  answer: 'We open at 8 and close at 18.',
  base_url: 'https://shop.example',
  brand_name: 'Sample Ltd',
  business_name: 'Sample Ltd',
  default_channel: 'chatapp',
  goal: 'Book a table',
  headline: 'Chat with your guests',
  instructions: 'You answer guests of a restaurant.',
  personality: 'Friendly and brief',
  rules: 'Never promise a table by the window.',
  user_feedback: 'Answer more briefly',
  webhook: 'https://shop.example/hook',
  whatsapp_template_id: 'tpl_mx0opgasvX8tHP6z',
  body: 'Your table is booked for tonight.',
  city: 'Berlin',
  closes: '18:00',
  colour: '#2563eb',
  company: 'Sample Ltd',
  concluded_at: laterInstant,
  country: 'DE',
  currency: 'EUR',
  cursor: 'b3BhcXVl',
  date: '2027-03-01',
  description: 'Asked for a call in the afternoon',
  day: '2027-03-01',
  email: 'ada@sample.example',
  end: '18:00',
  end_time: laterInstant,
  ends_at: laterInstant,
  event: 'Replies',
  expires_at: laterInstant,
  filename: 'menu.pdf',
  from: '2027-03-01',
  first_name: 'Ada',
  hour: 9,
  host: 'shop.example',
  identity: 'our-shop',
  key: 'language',
  label: 'Front desk',
  language: 'en',
  last_name: 'Sample',
  method: 'POST',
  mime_type: 'application/pdf',
  name: 'Sample',
  next_cursor: null,
  opens: '08:00',
  phone_number: '+14155550123',
  question: 'When do you open?',
  reason: 'asked',
  recurrence: 'FREQ=WEEKLY;BYDAY=MO',
  rrule: 'FREQ=WEEKLY;BYDAY=MO',
  slug: 'spring',
  start: '08:00',
  start_time: instant,
  status_code: 200,
  text: 'Thank you, see you then!',
  time: '09:30',
  timezone: 'Europe/Berlin',
  title: 'Call back',
  to: '2027-03-07',
  url: 'https://shop.example/',
  username: 'ada',
  version: '1.0.0',
};

/** Texts of other forms, which a pattern asks for. */
const otherForms = ['sample', '08:00', '2027-03-01', '#2563eb', 'DE'];

/** The beginnings of ids by the fields that hold them. */
const idPrefixes: Readonly<Record<string, string>> = {
  account: 'acc',
  agent: 'agt',
  appointment: 'apt',
  broadcast: 'brd',
  campaign: 'cmp',
  chat_session: 'ses',
  contact: 'con',
  custom_function: 'fun',
  deal: 'dea',
  entity: 'con',
  delivery: 'dlv',
  event: 'evn',
  faq: 'faq',
  gap: 'gap',
  list: 'lst',
  mcp_server: 'mcp',
  message: 'msg',
  pipeline: 'ppl',
  session: 'ses',
  source: 'src',
  stage: 'stg',
  sub_account: 'acc',
  tag: 'tag',
  task: 'tsk',
  template: 'tpl',
};

/** What ids of examples end with. */
const idEnding = 'mx0opgasvX8tHP6z';

/**
 * A believable value of a schema: of a contact, one with a name and a number. It is the same each time.
 * @param schema a JSON Schema without references
 * @param name the field that holds the value
 * @param wanted the fields of the outermost object that it has; by default, all
 */
export function exampleOf(schema: object, name = '', wanted?: readonly string[]): unknown {
  const given = schema as Schema;
  if ('const' in given) return given.const;
  if (given.enum) return given.enum.find((value) => value !== null) ?? null;
  const either = given.anyOf ?? given.oneOf;
  if (either && given.type === undefined) return exampleOf(either.find(({ type }) => type !== 'null') ?? {}, name, wanted);
  const type = [given.type ?? []].flat().find((each) => each !== 'null');
  switch (type) {
    case 'object':
      return exampleObject(given, wanted);
    case 'array':
      return Array.from({ length: Math.max(1, given.minItems ?? 1) }, () => exampleOf(given.items ?? {}, singularName(name)));
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return exampleNumber(given, name);
    case 'string':
      return exampleText(given, name);
    default:
      return typeof byName[snakeCase(name)] === 'string' ? byName[snakeCase(name)] : {};
  }
}

function exampleObject({ properties = {}, additionalProperties, propertyNames }: Schema, wanted?: readonly string[]): object {
  const names = Object.keys(properties).filter((name) => wanted?.includes(name) ?? true);
  const own = names.map((name) => [name, exampleOf(properties[name] as Schema, name)] as const);
  if (own.length > 0 || typeof additionalProperties !== 'object') return Object.fromEntries(own);
  // A record with any names.
  const name = (propertyNames?.enum?.[0] as string | undefined) ?? 'name';
  return { [name]: exampleOf(additionalProperties, name) };
}

function exampleNumber({ minimum = 0, maximum = Infinity }: Schema, name: string): number {
  const known = byName[snakeCase(name)];
  return Math.min(maximum, Math.max(minimum, typeof known === 'number' ? known : 1));
}

function exampleText({ format, anyOf: [either] = [], pattern, description = '' }: Schema, name: string): string {
  const field = snakeCase(name);
  const known = byName[field];
  switch (format ?? either?.format) {
    case 'date-time':
      return typeof known === 'string' && known.includes('T') ? known : instant;
    case 'date':
      return '2027-03-01';
    case 'email':
      return 'ada@sample.example';
    case 'uri':
      return 'https://shop.example/';
    case undefined:
      break;
  }
  const [, prefix] = /which begins with (\w+_)/.exec(description) ?? [];
  if (prefix !== undefined) return prefix + idEnding;
  const [, ofId] = /^(\w+)_ids?$/.exec(field) ?? [];
  if (ofId !== undefined) return `${idPrefix(ofId)}_${idEnding}`;
  const text = typeof known === 'string' ? known : 'text';
  if (pattern === undefined || new RegExp(pattern, 'u').test(text)) return text;
  const isEnd = /^(end|closes|to)/.test(field);
  const forms = isEnd ? ['18:00', ...otherForms] : otherForms;
  return forms.find((form) => new RegExp(pattern, 'u').test(form)) ?? text;
}

/** The beginning of the ids of a record: that of agents also for `auto_link_to_agent`. */
function idPrefix(record: string): string {
  const known = Object.keys(idPrefixes).find((name) => record === name || record.endsWith(`_${name}`));
  return known === undefined ? record.slice(0, 3) : (idPrefixes[known] as string);
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function singularName(name: string): string {
  return name.replace(/ies$/, 'y').replace(/([^su])s$/, '$1');
}
