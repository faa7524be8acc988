import { describe, expect } from 'vitest';
import { arrangement } from '../../../src/cli/output/arrange.ts';
import { wholeList } from '../../../src/cli/output/result.ts';
import { it as base } from '../../support/shared-home-test.ts';

const it = base.extend('env', { scope: 'file' }, { MSGCTL_PROFILE: 'sandbox', TZ: 'UTC', NO_COLOR: '1' });

it.beforeAll(async ({ home }) => {
  await home.run('sandbox', 'clock', 'freeze', '2027-03-01T11:00:00Z');
  for (const name of ['Client 10', 'Client 2', 'Agency'])
    await home.run('accounts', 'create', name, '--email', `${name.replace(' ', '')}@a.example`);
  for (let index = 1; index <= 60; index++) await home.run('tags', 'create', `Tag ${index}`);
  await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
  await home.run('contacts', 'create', '+14155550101', '--first-name', 'Ada', '--last-name', 'Lovelace');
  await home.run('contacts', 'create', '+14155550102', '--first-name', 'Mary Ann', '--company', 'Shop <1>');
  await home.run('sandbox', 'clock', 'freeze', '2027-03-05T11:00:00Z');
  await home.run('contacts', 'create', '+14155550103', '--last-name', 'Zuse');
  for (const tag of ['Tag 1', 'Tag 2']) await home.run('contacts', 'tag', '+14155550101', tag);
});

describe('--where', () => {
  const names = async (home: { run: (...argv: string[]) => Promise<{ stdout: string; stderr: string }> }, ...argv: string[]) => {
    const { stdout, stderr } = await home.run(...argv, '--no-header', '-o', 'tsv');
    expect(stderr).toBe('');
    return stdout.trimEnd().split('\n').filter(Boolean);
  };

  it.for<[string[], string[]]>([
    [['first_name=Ada'], ['+14155550101']],
    [['first_name=Mary Ann'], ['+14155550102']],
    [['first_name ~ *A*a*'], ['+14155550101']],
    [['first_name='], ['+14155550103']],
    [['first_name=null'], ['+14155550103']],
    [['first_name!='], ['+14155550101', '+14155550102']],
    [['first_name!=Ada'], ['+14155550102', '+14155550103']],
    [['first_name!~M*'], ['+14155550101', '+14155550103']],
    [['company=Shop <1>'], ['+14155550102']],
    [['first_name<B'], ['+14155550101']],
    [['tags.name=Tag 2'], ['+14155550101']],
    [['tags.name!=Tag 2'], ['+14155550102', '+14155550103']],
    [['tags.name='], ['+14155550102', '+14155550103']],
    [['tags=Tag 2'], ['+14155550101']],
    [['tags~Tag*'], ['+14155550101']],
    [['tags!~*2'], ['+14155550102', '+14155550103']],
    [['archived=no', 'last_name=Zuse'], ['+14155550103']],
    [['created_at<2027-03-02'], ['+14155550101', '+14155550102']],
    [['created_at=2027-03-05'], ['+14155550103']],
    [['created_at<=2027-03-01'], ['+14155550101', '+14155550102']],
    [['created_at>2d'], ['+14155550103']],
    [['created_at<yesterday'], ['+14155550101', '+14155550102']],
    [['phone_number>=+14155550102', 'first_name!='], ['+14155550102']],
    [['archived=true'], []],
  ])('%j', async ([conditions, expected], { home }) => {
    const where = conditions.flatMap((condition) => ['--where', condition]);
    const found = await names(home, 'contacts', 'list', ...where, '--fields', 'phone_number', '--sort', 'phone_number');
    expect(found).toEqual(expected);
  });

  it('sees every row, and --limit counts what is left', async ({ home }) => {
    expect(await names(home, 'tags', 'list', '--where', 'name~Tag*', '--fields', 'name')).toHaveLength(60);
    expect(await names(home, 'tags', 'list', '--where', 'name=Tag 1', '--limit', '1', '--fields', 'name')).toEqual(['Tag 1']);
    const { stdout, stderr } = await home.run('tags', 'list', '--where', 'name~Tag 1*', '--limit', '3', '-o', 'ndjson');
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stderr).toBe('There are more rows: --all shows every row.\n');
  });

  it.for(['json', 'ndjson', 'csv', 'tsv', 'yaml', 'table'])('selects rows as %s', async (format, { home }) => {
    const { code, stdout } = await home.run('tags', 'list', '--where', 'name=Tag 7', '-o', format);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Tag 7/);
    expect(stdout).not.toMatch(/Tag [^7]/);
  });

  it('comes before --query and --jq', async ({ home }) => {
    const { stdout } = await home.run('tags', 'list', '--where', 'name~Tag 5*', '--sort', '-name', '--query', 'tags[].name', '-o', 'tsv');
    expect(stdout.split('\n').slice(0, 3)).toEqual(['Tag 59', 'Tag 58', 'Tag 57']);
    expect((await home.run('tags', 'list', '--where', 'name~Tag 5*', '--jq', '.tags | length')).stdout).toBe('11\n');
  });

  it('selects from several accounts', async ({ home }) => {
    const { json } = await home.run(
      'credits',
      '--sub-account',
      'all',
      '--where',
      'sub_account~Client*',
      '--sort',
      '-sub_account',
      '-o',
      'json',
    );
    expect(json.results.map(({ sub_account: name }: { sub_account: string }) => name)).toEqual(['Client 10', 'Client 2']);
  });

  it('knows the words of --fail-on, and columns that are computed', async ({ home }) => {
    await home.run('webhooks', 'create', 'https://receiver.example/', '--name', 'orders', '--events', 'all');
    const listed = async (...argv: string[]) => (await home.run('webhooks', ...argv, '-o', 'json')).json.webhooks as unknown[];
    expect(await listed('health', '--where', 'idle')).toHaveLength(1);
    expect(await listed('health', '--where', 'failures>=5')).toHaveLength(0);
    expect(await listed('list', '--where', 'state=idle')).toHaveLength(1);
    expect(await listed('list', '--where', 'state=disabled')).toHaveLength(0);
  });

  it('says on a terminal that nothing matches', async ({ home }) => {
    expect((await home.runOnTerminal(80, 'tags', 'list', '--where', 'name=none')).stderr).toContain('Nothing matches.');
  });

  it.for<[string[], RegExp]>([
    [['tags', 'list', '--where', 'nmae=x'], /--where: unknown field: nmae\n.*Known fields: id, name.*Did you mean 'name'\?/s],
    [['tags', 'list', '--where', 'name'], /must be a condition such as/],
    [['tags', 'list', '--where', 'contact_count<'], /needs a value after </],
    [['tags', 'list', '--where', 'contact_count<many'], /must compare with a number/],
    [['contacts', 'list', '--where', 'archived=maybe'], /must compare with true or false/],
    [['contacts', 'list', '--where', 'created_at<soon'], /must be an ISO 8601 date/],
    [['tags', 'list', '--sort', 'nmae'], /--sort: unknown field: nmae\n.*Did you mean 'name'\?/s],
    [['tags', 'list', '--sort', 'name,'], /--sort 'name,' must name fields/],
    [['tags', 'list', '--sort', 'name', '--cursor', 'x'], /cannot be used together/],
    [['tags', 'create', 'x', '--where', 'name=x'], /apply only to lists/],
    [['whoami', '--where', 'name=x'], /./],
  ])('%j is refused', async ([argv, message], { home }) => {
    const { code, stdout, stderr } = await home.run(...argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});

describe('--sort', () => {
  it('sorts the whole list, numbers in names as numbers', async ({ home }) => {
    const { json } = await home.run('tags', 'list', '--sort', 'name', '--limit', '3', '-o', 'json');
    expect(json).toEqual({ tags: [{ name: 'Tag 1' }, { name: 'Tag 2' }, { name: 'Tag 3' }].map((tag) => expect.objectContaining(tag)) });
  });

  it('puts rows without a value last, and breaks ties by the next field', async ({ home }) => {
    const sorted = async (key: string) =>
      (await home.run('contacts', 'list', '--sort', key, '--query', 'contacts[].phone_number', '-o', 'tsv')).stdout.trim().split('\n');
    expect(await sorted('first_name')).toEqual(['+14155550101', '+14155550102', '+14155550103']);
    expect(await sorted('-first_name')).toEqual(['+14155550102', '+14155550101', '+14155550103']);
    expect(await sorted('-created_at,-phone_number')).toEqual(['+14155550103', '+14155550102', '+14155550101']);
  });

  it('refuses more than 100,000 rows, and names the filters of the list', async () => {
    const list = wholeList(
      'contacts',
      Array.from({ length: 100_001 }, (_, id) => ({ id })),
    );
    const filters = ['--tag', '--channel'];
    const vocabulary = { option: '--where', fields: ['id'], readTime: async () => 0, timeZone: 'UTC' } as const;
    const rowsOf = async (where: string[]) => {
      const arranged = await arrangement({ where, sort: ['-id'], limit: 1, filters }, vocabulary)(list);
      const pages: unknown[] = [];
      if (arranged.kind === 'list') for await (const page of arranged.pages) pages.push(...page.rows);
      return pages;
    };
    await expect(rowsOf([])).rejects.toMatchObject({
      exitCode: 2,
      message: '--sort takes at most 100,000 rows',
      hint: 'Make the list shorter with --where, --tag, --channel.',
    });
  });

  it('sorts what is left of a longer list', async () => {
    const list = wholeList(
      'contacts',
      Array.from({ length: 100_001 }, (_, id) => ({ id })),
    );
    const vocabulary = { option: '--where', fields: ['id'], readTime: async () => 0, timeZone: 'UTC' } as const;
    const arranged = await arrangement({ where: ['id<50'], sort: ['-id'], limit: 1, filters: [] }, vocabulary)(list);
    const [page] = arranged.kind === 'list' ? await Array.fromAsync(arranged.pages) : [];
    expect(page?.rows).toEqual([{ id: 49 }]);
  });

  it('completes the fields of the list', async ({ home }) => {
    const offered = async (...words: string[]) => (await home.run('complete', '--', ...words)).stdout;
    expect(await offered('tags', 'list', '--sort', '-na')).toMatch(/^-name\t/);
    expect(await offered('tags', 'list', '--where', 'contact')).toMatch(/^contact_count\t/);
    expect(await offered('tags', 'list', '--fields', 'id,na')).toMatch(/^id,name\t/);
  });
});
