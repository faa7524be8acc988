import { answerSchema, type Endpoint, isUpdate, isWrite, schemaOf, successStatus } from '../src/contract/endpoint.ts';
import { allEndpoints } from '../src/contract/endpoints.ts';
import { defaultPlan, plan } from '../src/contract/plan.ts';
import { code, type Field, fieldsOf } from './contract-fields.ts';

// The tables of docs/interface that say what the contract says.

const specs: readonly Endpoint[] = allEndpoints;

/** A block of tables. Its first line names the areas that they show, or one of `others`. */
const block = /(<!-- generated from the contract: (.+) -->\n)[^]*?(<!-- end -->)/g;

/** What the blocks of a document show. */
export function shownIn(document: string): string[] {
  return [...document.matchAll(block)].flatMap(([, , names = '']) => names.split(', '));
}

/** A document with its blocks as the contract has them. */
export function withTables(document: string): string {
  return document.replace(block, (_, start: string, names: string, end: string) => {
    const parts = others[names]?.() ?? areaTables(names.split(', '));
    return `${start}\n${parts.join('\n\n')}\n\n${end}`;
  });
}

/** The blocks that show no area. */
const others: Readonly<Record<string, () => string[]>> = {
  permissions: () => [endpointsBy('Permission', ({ permission }) => permission && code(permission))],
  sections: () => [endpointsBy('Section', (spec) => (areaOf(spec) === 'sandbox' ? undefined : spec.section))],
  plan: () => {
    const usual = new Map(Object.entries(defaultPlan).map(([name, value]) => [name, JSON.stringify(value)]));
    const fields = fieldsOf(plan(), 'output');
    return [fieldTable(fields.map((field) => ({ ...field, usual: usual.get(field.name.replace('[]', '')) ?? '' })))];
  },
};

/** The endpoints by a property that they have. */
function endpointsBy(title: string, property: (spec: Endpoint) => string | undefined): string {
  const values = [...new Set(specs.flatMap((spec) => property(spec) ?? []))];
  const rows = values.map((value) => {
    const own = specs.filter((spec) => property(spec) === value);
    return [value, [...new Set(own.map((spec) => sharedName(spec, own)))].join(', ')];
  });
  return table([title, 'Endpoints'], rows);
}

/** The name of an endpoint, or of its area, or of the reads or writes of its area, where all of these are among some endpoints. */
function sharedName(spec: Endpoint, some: readonly Endpoint[]): string {
  const area = specs.filter((each) => areaOf(each) === areaOf(spec));
  const isAmong = (list: readonly Endpoint[]) => list.every((each) => some.includes(each));
  if (isAmong(area)) return code(`${areaOf(spec)}.*`);
  if (isAmong(area.filter((each) => isWrite(each) === isWrite(spec))))
    return `${code(`${areaOf(spec)}.*`)} (${isWrite(spec) ? 'writes' : 'reads'})`;
  return code(spec.name);
}

function areaTables(areas: readonly string[]): string[] {
  const own = specs.filter((spec) => areas.includes(areaOf(spec)));
  const rows = own.map((spec) => [code(spec.name), `${spec.method} ${spec.path}`, input(spec), output(spec), access(spec)]);
  const requests = requestFields(own);
  return [
    table(['Endpoint', 'Method and path', 'Query or body', 'Answer', 'Access'], rows),
    ...(requests.length > 0 ? ['Fields of requests:', fieldTable(requests)] : []),
    ...answerTables(own),
  ];
}

function areaOf({ name }: Pick<Endpoint, 'name'>): string {
  return name.slice(0, name.indexOf('.'));
}

/** The fields of a request, without those that every page has. */
function requestOf({ query, body, rows }: Endpoint): Field[] {
  const fields = [query, body].flatMap((lazy) => (lazy ? fieldsOf(schemaOf(lazy), 'input') : []));
  return rows === undefined ? fields : fields.filter(({ name }) => name !== 'limit' && name !== 'cursor');
}

function input(spec: Endpoint): string {
  return [...requestOf(spec).map(({ name }) => code(name)), ...(spec.rawBodyBytes === undefined ? [] : ['raw bytes'])].join(', ');
}

function output(spec: Endpoint): string {
  const status = successStatus(spec);
  const fields = fieldsOf(answerSchema(spec), 'output').map(({ name }) => code(name));
  return [...(status === 200 ? [] : [String(status)]), ...(fields.length > 0 ? [fields.join(', ')] : [])].join(': ');
}

const whoMayCall: Readonly<Record<Endpoint['access'], string | undefined>> = {
  public: 'no credential',
  any: 'any credential',
  account: undefined,
  owner: 'owner only',
  person: 'ID token',
  agency: 'agency',
  sandbox: 'sandbox token',
};

function access({ access: who, permission, isForOwners }: Endpoint): string {
  return [isForOwners ? whoMayCall.owner : whoMayCall[who], permission && code(permission)].filter((each) => each !== undefined).join(', ');
}

/** A field, and the endpoints that have it. */
interface Use {
  readonly field: Field;
  readonly by: string[];
}

function addUse(uses: Use[], known: Use | undefined, field: Field, { name }: Endpoint): void {
  if (known) known.by.push(code(name));
  else uses.push({ field, by: [code(name)] });
}

/** The fields of the requests of some endpoints. */
function requestFields(own: readonly Endpoint[]): Field[] {
  const uses: Use[] = [];
  // An update has no defaults and requires nothing, so its fields join those of other requests.
  for (const spec of [...own.filter((each) => !isUpdate(each)), ...own.filter(isUpdate)])
    for (const each of requestOf(spec)) {
      const field = isUpdate(spec) ? { ...each, usual: '' } : each;
      const known = uses.find((use) => isSame(isUpdate(spec) ? { ...use.field, usual: '' } : use.field, field));
      addUse(uses, known, field, spec);
    }
  return told(uses);
}

/** The fields. Where endpoints have different ones of a name, each says whose it is. */
function told(uses: readonly Use[]): Field[] {
  return uses.map(({ field, by }) => {
    const isOnly = uses.filter((use) => use.field.name === field.name).length === 1;
    return isOnly ? field : { ...field, meaning: `${by.join(', ')}: ${field.meaning}` };
  });
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** A kind of record in answers, and where it is answered. */
interface Answered {
  fields: readonly Field[];
  readonly places: { readonly name: string; readonly endpoint: string }[];
}

/** A table for each kind of record in the answers of some endpoints, and one for the fields beside records. */
function answerTables(own: readonly Endpoint[]): string[] {
  const records: Answered[] = [];
  const beside: Use[] = [];
  for (const spec of own)
    for (const field of fieldsOf(answerSchema(spec), 'output'))
      if (field.fields.length > 0) addRecord(records, field, spec.name);
      else if (field.name !== 'next_cursor')
        addUse(
          beside,
          beside.find((use) => isSame(use.field, field)),
          field,
          spec,
        );
  return [
    ...records.flatMap((record) => [`Fields of ${titleOf(record, records)}:`, fieldTable(record.fields)]),
    ...(beside.length > 0 ? ['Fields of answers:', fieldTable(told(beside))] : []),
  ];
}

/** Adds a record, or its place where the same kind of record is known: `tag` is one of `tags[]`. */
function addRecord(records: Answered[], { name, fields }: Field, endpoint: string): void {
  const known = records.find(
    (record) =>
      isSame(record.fields, fields) ||
      (record.places.some((place) => singular(place.name) === singular(name)) && isPart(record.fields, fields)),
  );
  if (!known) return void records.push({ fields, places: [{ name, endpoint }] });
  if (fields.length > known.fields.length) known.fields = fields;
  known.places.push({ name, endpoint });
}

const singular = (name: string) => name.replace(/s?\[\]$/, '');

/** Whether one of two lists of fields is a part of the other. */
function isPart(one: readonly Field[], other: readonly Field[]): boolean {
  const [small, large] = one.length < other.length ? [one, other] : [other, one];
  return small.every((field) => large.some((each) => isSame(each, field)));
}

/** The names of a record, with its endpoints where another record has the same name. */
function titleOf({ places }: Answered, records: readonly Answered[]): string {
  const names = [...new Set(places.map(({ name }) => name))];
  const others = records.filter((each) => each.places.some(({ name }) => names.includes(name)));
  const by = others.length > 1 ? ` in ${[...new Set(places.map(({ endpoint }) => code(endpoint)))].join(', ')}` : '';
  return names.map(code).join(', ') + by;
}

function fieldTable(fields: readonly Field[]): string {
  const hasDefaults = fields.some(({ usual }) => usual !== '');
  const rows = (list: readonly Field[], before = ''): string[][] =>
    list.flatMap(({ name, type, usual, meaning, fields: inner }) => [
      [code(before + name.replace('[]', '')), type, ...(hasDefaults ? [usual] : []), meaning],
      ...rows(inner, `${before}${name}.`),
    ]);
  return table(['Field', 'Type', ...(hasDefaults ? ['Default'] : []), 'Meaning'], rows(fields));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell.replaceAll('|', '\\|')} `)).join('|')}|`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
