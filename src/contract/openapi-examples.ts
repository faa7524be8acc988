import type { Endpoint } from './endpoint.ts';
import { schemaOf } from './endpoint.ts';
import { exampleOf } from './example.ts';

/** The number of fields that the example of a request has at most, besides those that it must have. */
const mostOptional = 4;

/** Requests that cannot be made from their schema, because a rule between fields decides. */
const requests: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'contacts.create': { phone_number: '+14155550123', first_name: 'Ada', last_name: 'Sample', email: 'ada@sample.example' },
  'contacts.import': { contacts: [{ phone_number: '+14155550123', first_name: 'Ada', tags: ['VIP'] }], on_duplicate: 'update' },
  'broadcasts.create': { name: 'Spring offer', channel: 'chatapp', body: 'Spring is here: 10 % off.', list_ids: ['lst_mx0opgasvX8tHP6z'] },
  'functions.create': {
    name: 'find_order',
    url: 'https://shop.example/orders/find',
    description: 'Finds an order by its number',
    parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
  },
  'schedules.create': {
    name: 'Weekly call',
    action: { type: 'task', title: 'Call back', due_in_hours: 8 },
    run_at: '2027-03-01T09:00:00.000Z',
    rrule: 'FREQ=WEEKLY;BYDAY=MO',
    timezone: 'Europe/Berlin',
  },
  'templates.send': { contactId: 'con_mx0opgasvX8tHP6z', templateName: 'booking_reminder', variables: { name: 'Ada' } },
};

/**
 * An example of the body of an endpoint, which it accepts.
 * @param written the JSON Schema of the body
 */
export function exampleRequest(spec: Endpoint, written: object): Readonly<Record<string, unknown>> {
  const known = requests[spec.name];
  if (known || !spec.body) return known ?? {};
  const { properties = {}, required = [] } = written as { properties?: object; required?: readonly string[] };
  const schema = schemaOf(spec.body);
  const isAccepted = (body: object) => schema.safeParse(body).success;
  const all = exampleOf({ type: 'object', properties }) as Record<string, unknown>;
  let body = Object.fromEntries(required.map((name) => [name, all[name]]));
  let optional = 0;
  for (const name of Object.keys(properties).filter((each) => !required.includes(each))) {
    const more = { ...body, [name]: all[name] };
    if (optional === mostOptional || (!isAccepted(more) && isAccepted(body))) continue;
    body = more;
    optional++;
  }
  return body;
}
