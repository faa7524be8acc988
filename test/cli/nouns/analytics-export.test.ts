import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tries } from '../../support/sweeps.ts';
import { Home } from '../../support/terminal-world.ts';
import { until } from '../../support/until.ts';

let home: Home;
let out: string;
let checkpoint: string;

async function open(): Promise<void> {
  home = new Home();
  out = join(home.path, 'out.ndjson');
  checkpoint = join(home.path, 'state');
  await home.sandbox('sandbox', 'clock', 'freeze', '2027-03-01T12:00:00Z');
}

beforeEach(open);

afterEach(() => home.remove());

/** Changes the checkpoint to one of an earlier version, which has no checksum. */
function changeCheckpoint(change: (stored: Stored) => object): Stored {
  const { checksum: _, ...stored } = JSON.parse(readFileSync(checkpoint, 'utf8')) as Stored & { checksum: string };
  writeFileSync(checkpoint, JSON.stringify(change(stored)));
  return stored;
}

interface Stored {
  readonly subject: object;
  readonly position: { at?: string; count?: object };
  readonly written: { sha256: string; rows: number; from?: string };
}

const demo = () => home.sandbox('sandbox', 'demo', '--messages', '900', '--days', '40');

const exportOf = (dataset: string, ...options: string[]) =>
  home.sandbox('analytics', 'export', '--dataset', dataset, '--checkpoint', checkpoint, '--out', out, '-o', 'json', ...options);

interface Exported {
  readonly id: string;
  readonly concluded_at: string | null;
}

const rowsOf = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Exported);

/** The ids of all records of the ledger, as the API lists them. */
async function ledger(to = '2027-03-01'): Promise<string[]> {
  const { json } = await home.sandbox('analytics', 'credits', '--from', '2026-03-02', '--to', to, '--all', '-o', 'json');
  return (json as { records: Exported[] }).records.map(({ id }) => id);
}

/** Moves the clock of the service. */
async function advance(seconds: number): Promise<void> {
  expect((await home.sandbox('sandbox', 'clock', 'advance', `${seconds}`)).code).toBe(0);
}

/** Sends a message, which spends credits and adds a record to the ledger. */
async function send(): Promise<void> {
  const { code, stderr } = await home.sandbox('contacts', 'send', '+14155550199', 'hello');
  expect(stderr).not.toContain('Error');
  expect(code).toBe(0);
}

/** Interrupts an export of the ledger after its first page by making requests and their retries fail. */
async function breakOff(...options: string[]): Promise<string> {
  const fault = ['sandbox', 'faults', 'add', '--path', '/analytics/credits'];
  await home.sandbox(...fault, '--delay-ms', '100');
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const before = sizeOf(out);
  const running = exportOf('credits', ...options);
  await until(() => sizeOf(`${out}.partial`) > before);
  await home.sandbox(...fault, '--status', '503');
  const { code, stderr } = await running;
  expect(code).toBe(9);
  await home.sandbox('sandbox', 'faults', 'clear');
  expect(existsSync(`${out}.partial`)).toBe(true);
  return stderr;
}

/** Changes the embedded store behind the service's back. */
function changeStore(statement: string): void {
  const database = new DatabaseSync(join(home.path, '.local/share/msgctl/msgctl.db'));
  database.exec(statement);
  database.close();
}

function expectManifest(file: string, rows: number): void {
  const manifest = JSON.parse(readFileSync(`${file}.manifest.json`, 'utf8')) as Record<string, unknown>;
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  expect(manifest).toMatchObject({ schema_version: 1, rows, sha256, window: { to: '2027-03-01' } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(existsSync(`${file}.partial`)).toBe(false);
  expect(existsSync(`${checkpoint}.lock`)).toBe(false);
}

/** Expects that the file has each record of the ledger once. */
async function expectWholeLedger(): Promise<void> {
  const ids = rowsOf(out).map(({ id }) => id);
  expect(ids.toSorted()).toEqual((await ledger()).toSorted());
}

it('an export goes on after its folder has moved', async () => {
  await demo();
  mkdirSync(join(home.path, 'here'));
  [out, checkpoint] = [join(home.path, 'here', 'out.ndjson'), join(home.path, 'here', 'state')];
  expect((await exportOf('credits')).code).toBe(0);
  await send();
  renameSync(join(home.path, 'here'), join(home.path, 'there'));
  [out, checkpoint] = [join(home.path, 'there', 'out.ndjson'), join(home.path, 'there', 'state')];
  const { code, stderr } = await exportOf('credits');
  expect([code, stderr]).toEqual([0, '']);
  await expectWholeLedger();
});

it('an export goes on at another address of the service with --yes only', async () => {
  await demo();
  expect((await exportOf('credits')).code).toBe(0);
  changeCheckpoint((stored) => ({ ...stored, subject: { ...stored.subject, service: 'https://old.example/v1' } }));
  await send();
  const refused = await exportOf('credits');
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('belongs to this account at another address, https://old.example/v1'),
  ]);
  expect((await exportOf('credits', '--yes')).code).toBe(0);
  expect((await exportOf('credits')).code).toBe(0);
  await expectWholeLedger();
});

it('a checkpoint of an earlier version, without the days of the file, goes on with the first day', async () => {
  await demo();
  expect((await exportOf('credits', '--since', '2027-02-01')).code).toBe(0);
  changeCheckpoint(({ written: { from: _, ...written }, ...stored }) => ({ ...stored, written }));
  await send();
  expect((await exportOf('credits')).json).toMatchObject({ from: '2027-02-01', new_rows: 1 });
});

it('the manifest has the days of the rows in the file, also when a new file goes on', async () => {
  await demo();
  const windowOf = () => (JSON.parse(readFileSync(`${out}.manifest.json`, 'utf8')) as { window: object }).window;
  expect((await exportOf('credits', '--since', '2027-02-01')).code).toBe(0);
  expect(windowOf()).toEqual({ from: '2027-02-01', to: '2027-03-01' });
  await advance(2 * 24 * 3_600);
  await send();
  expect((await exportOf('credits', '--since', '2027-02-01')).json).toMatchObject({ from: '2027-02-01', to: '2027-03-03' });
  expect(windowOf()).toEqual({ from: '2027-02-01', to: '2027-03-03' });
  rmSync(out);
  await advance(24 * 3_600);
  await send();
  expect((await exportOf('credits', '--since', '2027-02-01')).json).toMatchObject({ from: '2027-03-03', to: '2027-03-04', rows: 1 });
  expect(windowOf()).toEqual({ from: '2027-03-03', to: '2027-03-04' });
});

describe('the ledger', () => {
  it('is exported in runs without duplicate or missing rows, whatever happens in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            sends: fc.nat(3),
            rate: fc.constantFrom(0, 0.8, 0.95),
            isMoved: fc.boolean(),
            seed: fc.nat(1_000),
            hours: fc.constantFrom(1, 26, 80),
          }),
          { minLength: 2, maxLength: 5 },
        ),
        async (rounds) => {
          home.remove();
          await open();
          await demo();
          const consumed: string[] = [];
          for (const { sends, rate, isMoved, seed, hours } of [...rounds, { sends: 1, rate: 0, isMoved: false, seed: 0, hours: 1 }]) {
            for (let sent = 0; sent < sends; sent++) await send();
            const fault = ['sandbox', 'faults', 'add', '--path', '/analytics/credits', '--status', '503', '--seed', `${seed}`];
            if (rate > 0) await home.sandbox(...fault, '--rate', `${rate}`);
            const { code } = await exportOf('credits');
            expect([0, 9]).toContain(code);
            if (rate === 0) expect(code).toBe(0);
            await home.sandbox('sandbox', 'faults', 'clear');
            await advance(hours * 300);
            // A consumer may move the file away; the next run then creates a new one.
            if (code !== 0 || !isMoved || !existsSync(out)) continue;
            consumed.push(...rowsOf(out).map(({ id }) => id));
            rmSync(out);
            await advance(hours * 3_600);
          }
          const ids = [...consumed, ...(existsSync(out) ? rowsOf(out).map(({ id }) => id) : [])];
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids.toSorted()).toEqual((await ledger('2027-04-30')).toSorted());
        },
      ),
      { numRuns: tries(3) },
    );
  }, 120_000);

  it('stops at records that are dated back into what was exported, and goes on without them with --accept-missing', async () => {
    await home.sandbox('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
    await send();
    await advance(24 * 3_600);
    expect((await exportOf('credits')).code).toBe(0);
    const exported = readFileSync(out);
    await demo();
    await send();
    const refused = await exportOf('credits');
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringMatching(/No run has exported [\d,]+ records of the ledger/)]);
    expect(refused.stderr).toContain('Records were added later with earlier dates');
    expect(readFileSync(out)).toEqual(exported);
    expect((await exportOf('credits', '--yes')).code).toBe(6);
    expect((await exportOf('credits', '--accept-missing')).code).toBe(0);
    await send();
    expect((await exportOf('credits')).json).toMatchObject({ new_rows: 1 });
    [out, checkpoint] = [`${out}.new.ndjson`, `${checkpoint}.new`];
    expect((await exportOf('credits')).code).toBe(0);
    expect(rowsOf(out).length).toBeGreaterThan(100);
    expect(rowsOf(out).map(({ id }) => id)).toEqual(await ledger('2027-03-02'));
  });

  it('goes on from a checkpoint of an earlier version, which has no count, and compares once its days are settled', async () => {
    await demo();
    await send();
    expect((await exportOf('credits')).code).toBe(0);
    const { position: before } = changeCheckpoint(({ position: { count: _, ...position }, ...stored }) => ({ ...stored, position }));
    expect(before.count).toMatchObject({ settled: '2027-02-27', later: { '2027-03-01': expect.any(Number) } });
    for (let day = 0; day < 4; day++) {
      await send();
      expect((await exportOf('credits')).code).toBe(0);
      await advance(24 * 3_600);
    }
    await demo();
    expect((await exportOf('credits')).code).toBe(6);
  });

  it('notices records that are dated back by hours too', async () => {
    await demo();
    await send();
    expect((await exportOf('credits')).code).toBe(0);
    await home.sandbox('sandbox', 'demo', '--messages', '100', '--days', '2', '--seed', '11');
    const refused = await exportOf('credits');
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining('records_missing')]);
    const accepted = await exportOf('credits', '--accept-missing');
    expect([accepted.code, accepted.stderr]).toEqual([0, expect.stringMatching(/No run has exported \d+ records of the ledger\.\n/)]);
    for (let day = 0; day < 4; day++) {
      expect((await exportOf('credits')).code).toBe(0);
      await advance(24 * 3_600);
    }
  });

  it('tells how many records were added behind what its first run had read, and not those that it read', async () => {
    await demo();
    await breakOff();
    await home.sandbox('sandbox', 'demo', '--messages', '300', '--days', '40', '--seed', '12');
    const { code, stderr } = await exportOf('credits');
    const { json } = await home.sandbox('analytics', 'credits', '--from', '2026-03-02', '--all', '--query', 'records', '-o', 'json');
    const exported = new Set(rowsOf(out).map(({ id }) => id));
    const records = json as { id: string; is_adjustment: boolean }[];
    const missing = records.filter(({ id, is_adjustment: isAdjustment }) => !isAdjustment && !exported.has(id)).length;
    expect([code, missing]).toEqual([6, expect.toSatisfy((count: number) => count > 0 && count < 150)]);
    expect(stderr).toContain(`No run has exported ${missing} records of the ledger`);
  });

  it('counts missing records in its manifest, until a new file begins', async () => {
    const manifest = () => JSON.parse(readFileSync(`${out}.manifest.json`, 'utf8')) as { missing_records: number };
    await demo();
    await send();
    expect((await exportOf('credits')).code).toBe(0);
    expect(manifest()).toMatchObject({ missing_records: 0, costs_redacted: false });
    await home.sandbox('sandbox', 'demo', '--messages', '100', '--days', '20', '--seed', '13');
    expect((await exportOf('credits', '--accept-missing')).code).toBe(0);
    const [listed, exported] = [(await ledger()).length, rowsOf(out).length];
    // Corrections are not counted.
    expect(manifest().missing_records).toBeGreaterThan(0.9 * (listed - exported));
    expect(manifest().missing_records).toBeLessThanOrEqual(listed - exported);
    const { missing_records: missing } = manifest();
    await send();
    expect((await exportOf('credits')).code).toBe(0);
    expect(manifest().missing_records).toBe(missing);
    rmSync(out);
    await send();
    expect((await exportOf('credits')).code).toBe(0);
    expect(manifest().missing_records).toBe(0);
  });

  it('says that costs are hidden, and its manifest too', async () => {
    await demo();
    expect((await home.sandbox('sandbox', 'accounts', 'update', '--costs-hidden')).code).toBe(0);
    const { code, stderr } = await exportOf('credits');
    expect([code, stderr]).toEqual([0, expect.stringContaining('Costs in US dollars are exported as 0: they are hidden on this account.')]);
    await home.sandbox('sandbox', 'accounts', 'update', '--no-costs-hidden');
    await send();
    expect((await exportOf('credits')).stderr).toBe('');
    expect(JSON.parse(readFileSync(`${out}.manifest.json`, 'utf8'))).toMatchObject({ missing_records: 0, costs_redacted: true });
  });

  it('begins with the account after runs without records', async () => {
    await home.sandbox('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
    changeStore('delete from credit_ledger');
    expect((await exportOf('credits')).json).toMatchObject({ rows: 0 });
    await send();
    await advance(5 * 24 * 3_600);
    expect((await exportOf('credits')).json).toMatchObject({ rows: 1 });
    await demo();
    expect((await exportOf('credits')).code).toBe(6);
  });

  it('looks for missing records with few requests, and tells no wait that does not come', async () => {
    await demo();
    await send();
    expect((await exportOf('credits')).code).toBe(0);
    changeCheckpoint(({ position: { count: _, ...position }, ...stored }) => ({ ...stored, position }));
    const { json } = await home.sandbox('keys', 'create', '--section', 'Analytics', '--rate-limit', '20', '-o', 'json');
    home.env = { MSGCTL_API_KEY: (json as { api_key: string }).api_key };
    for (let run = 0; run < 2; run++) {
      const { code, stderr } = await exportOf('credits', '--debug');
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('a minute')]);
      expect([...stderr.matchAll(/^(GET|POST) /gm)].length).toBeLessThanOrEqual(8);
    }
    home.env = {};
  });

  it.each(['2027-02-10T00:00:00Z', '2027-03-01T11:00:00Z'])('goes on after the service has deleted the records before %s', async (time) => {
    await demo();
    await send();
    changeStore(`delete from credit_ledger where at < ${Date.parse(time)}`);
    for (const rows of [null, 0, 1]) {
      const { code, json } = await exportOf('credits');
      expect(code).toBe(0);
      if (rows !== null) expect(json).toMatchObject({ new_rows: rows });
      await advance(24 * 3_600);
      if (rows === 0) await send();
    }
  });

  it('says beforehand how long it waits for the rate limit of its key', async () => {
    await demo();
    const argv = ['analytics', 'export', '--dataset', 'credits', '--since', '60d', '--checkpoint', checkpoint, '--out', out];
    const withLimit = async (limit: number) => {
      const { json } = await home.sandbox('keys', 'create', '--section', 'Analytics', '--rate-limit', `${limit}`, '-o', 'json');
      home.env = { MSGCTL_API_KEY: (json as { api_key: string }).api_key };
      const { stderr } = await home.sandbox(...argv);
      home.env = {};
      return stderr;
    };
    expect(await withLimit(9)).toContain('Up to 5 more requests at 9 requests a minute take 1 minute.');
    rmSync(`${out}.partial`, { force: true });
    rmSync(checkpoint, { force: true });
    expect(await withLimit(60)).not.toContain('a minute');
  });

  it('is written with a manifest, and a run without new rows changes nothing', async () => {
    await demo();
    const first = await exportOf('credits');
    expect(first.stderr).toBe('');
    expect(first.code).toBe(0);
    const { rows, new_rows: added } = first.json as { rows: number; new_rows: number };
    expect(added).toBe(rows);
    expect(rows).toBe((await ledger()).length);
    expectManifest(out, rows);
    const before = readFileSync(out);
    expect((await exportOf('credits')).json).toMatchObject({ rows, new_rows: 0 });
    expect(readFileSync(out)).toEqual(before);
  });

  it('is exported completely by the next run after Ctrl-C, which leaves no lock behind', async () => {
    await demo();
    const running = exportOf('credits');
    while (!existsSync(`${out}.partial`)) await new Promise(setImmediate);
    home.interrupt();
    const { code, stderr } = await running;
    expect([code, stderr]).toEqual([130, expect.stringContaining('Run the same command again to continue')]);
    expect(readdirSync(home.path).filter((name) => name.endsWith('.lock'))).toEqual([]);
    expect(existsSync(out)).toBe(false);
    expect((await exportOf('credits')).code).toBe(0);
    expect(rowsOf(out).map(({ id }) => id)).toEqual(await ledger());
  });

  it('keeps the first day of a relative --since, and recognises the file by another path', async () => {
    await demo();
    expect((await exportOf('credits', '--since', '10d')).json).toMatchObject({ from: '2027-02-20' });
    await advance(26 * 3_600);
    out = join(home.path, '.', 'missing', '..', 'out.ndjson');
    const { code, json } = await exportOf('credits', '--since', '10d');
    expect(code).toBe(0);
    expect(json).toMatchObject({ from: '2027-02-20', to: '2027-03-02' });
  });

  it('begins at the day given by --since', async () => {
    await demo();
    const { json } = await exportOf('credits', '--since', '2027-02-20');
    const rows = rowsOf(out) as unknown as { at: string }[];
    expect(rows).toHaveLength((json as { rows: number }).rows);
    expect(rows.every(({ at }) => at >= '2027-02-20')).toBe(true);
    expect((await exportOf('credits', '--since', '2027-02-20')).json).toMatchObject({ new_rows: 0 });
    const other = await exportOf('credits', '--since', '2027-02-21');
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('The checkpoint continues from its last run');
  });

  it('exits 9 while the reporting database is down, keeps the rows read so far, and continues from there', async () => {
    await demo();
    await home.sandbox('sandbox', 'faults', 'add', '--reporting-database', 'down');
    const refused = await exportOf('credits');
    expect(refused.code).toBe(9);
    expect(existsSync(out)).toBe(false);
    await home.sandbox('sandbox', 'faults', 'clear');
    expect(await breakOff('-o', 'table')).toContain('The rows that were read are kept. Run the same command again to continue.');
    const kept = statSync(`${out}.partial`).size;
    expect((await exportOf('credits')).code).toBe(0);
    expect(kept).toBeLessThanOrEqual(statSync(out).size);
    expect(rowsOf(out).map(({ id }) => id)).toEqual(await ledger());
  });

  it('does not write through a symbolic link in the place of what it has kept', async () => {
    await demo();
    await breakOff();
    const target = `${out}.target`;
    renameSync(`${out}.partial`, target);
    symlinkSync(target, `${out}.partial`);
    const before = readFileSync(target, 'utf8');
    const refused = await exportOf('credits');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`${out}.partial is a symbolic link`)]);
    expect(readFileSync(target, 'utf8')).toBe(before);
  });

  it('starts again if what it has kept was edited', async () => {
    await demo();
    await breakOff();
    const partial = readFileSync(`${out}.partial`, 'utf8');
    writeFileSync(`${out}.partial`, partial.replace('ai_reply', 'ai_REPLY'));
    expect((await exportOf('credits')).code).toBe(0);
    expect(readFileSync(out, 'utf8')).not.toContain('ai_REPLY');
    await expectWholeLedger();
  });

  it('counts in its checkpoint only rows that are synced to disk', async () => {
    await demo();
    const onDisk = new Map<number, number>();
    const counted: { bytes: number; onDisk: number }[] = [];
    const { fsyncSync, fdatasyncSync, renameSync } = fs;
    const synced = (sync: (file: number) => void) => (file: number) => {
      sync(file);
      const { ino, size } = fs.fstatSync(file);
      onDisk.set(ino, size);
    };
    vi.spyOn(fs, 'fsyncSync').mockImplementation(synced(fsyncSync));
    vi.spyOn(fs, 'fdatasyncSync').mockImplementation(synced(fdatasyncSync));
    vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      const { run } = (to === checkpoint ? JSON.parse(readFileSync(from, 'utf8')) : {}) as { run?: { bytes: number } };
      if (run) counted.push({ bytes: run.bytes, onDisk: onDisk.get(statSync(`${out}.partial`).ino) ?? 0 });
      renameSync(from, to);
    });
    syncBuiltinESMExports();
    // Time passes fast enough that pages are recorded before the last one.
    let now = home.now;
    Object.defineProperty(home, 'now', { get: () => (now += 30_000) });
    try {
      expect((await exportOf('credits')).code).toBe(0);
    } finally {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    }
    expect(counted.length).toBeGreaterThan(1);
    expect(counted.filter(({ bytes, onDisk }) => onDisk < bytes)).toEqual([]);
  });

  it('is exported again after an interruption when its file was moved away or put back meanwhile', async () => {
    await demo();
    expect((await exportOf('credits')).code).toBe(0);
    const first = rowsOf(out);
    await advance(3 * 24 * 3_600);
    await home.sandbox('sandbox', 'demo', '--messages', '900', '--days', '2');
    await breakOff();
    renameSync(out, `${out}.read`);
    expect((await exportOf('credits')).code).toBe(0);
    const second = rowsOf(out);
    expect(second.length).toBeGreaterThan(100);
    const ids = [...first, ...second].map(({ id }) => id);
    expect(ids.toSorted()).toEqual((await ledger('2027-03-04')).toSorted());
    await advance(3 * 24 * 3_600);
    await home.sandbox('sandbox', 'demo', '--messages', '900', '--days', '2');
    renameSync(out, `${out}.read`);
    await breakOff();
    renameSync(`${out}.read`, out);
    const continued = await exportOf('credits');
    expect(continued.code).toBe(0);
    expect([...first, ...rowsOf(out)].map(({ id }) => id).toSorted()).toEqual((await ledger('2027-03-07')).toSorted());
  });

  it('is moved into place when the previous run ended just before that', async () => {
    await demo();
    expect((await exportOf('credits')).code).toBe(0);
    const whole = readFileSync(out);
    const state = changeCheckpoint((stored) => stored);
    // The state after a kill between the last page and the rename.
    const run = {
      path: out,
      rows: state.written.rows,
      newRows: state.written.rows,
      bytes: whole.length,
      resume: {},
      complete: { sha256: state.written.sha256, position: state.position, manifest: {} },
    };
    for (const isRenamed of [false, true]) {
      rmSync(out, { force: true });
      writeFileSync(isRenamed ? out : `${out}.partial`, whole);
      changeCheckpoint(() => ({ ...state, position: null, written: null, run }));
      expect((await exportOf('credits')).json).toMatchObject({ new_rows: 0, rows: state.written.rows });
      expect(readFileSync(out)).toEqual(whole);
    }
  });

  it('is exported again when its complete file was lost before it was moved into place', async () => {
    await demo();
    await exportOf('credits');
    const state = changeCheckpoint((stored) => stored);
    const complete = { sha256: state.written.sha256, position: state.position, manifest: { sha256: state.written.sha256 } };
    const run = { path: out, rows: state.written.rows, newRows: 0, bytes: 1, resume: {}, complete };
    rmSync(out);
    // According to the manifest, the file was moved into place and then taken away.
    changeCheckpoint(() => ({ ...state, position: null, written: null, run }));
    expect((await exportOf('credits')).json).toMatchObject({ new_rows: 0 });
    rmSync(out);
    rmSync(`${out}.manifest.json`);
    changeCheckpoint(() => ({ ...state, position: null, written: null, run }));
    expect((await exportOf('credits')).json).toMatchObject({ new_rows: state.written.rows });
  });

  it('is written as CSV with one heading', async () => {
    out = join(home.path, 'out.csv');
    await demo();
    await exportOf('credits');
    await send();
    await exportOf('credits');
    const lines = readFileSync(out, 'utf8').trim().split('\r\n');
    expect(lines[0]).toBe('id,at,reason,credits,cost_usd,campaign_id,agent_id,message_id,is_adjustment,transfer_account_id');
    expect(lines.filter((line) => line.startsWith('id,'))).toHaveLength(1);
    expect(
      lines
        .slice(1)
        .map((line) => line.split(',')[0])
        .toSorted(),
    ).toEqual((await ledger()).toSorted());
  });
});

describe('an export of transfers', () => {
  it('has the other account of each', async () => {
    await home.sandbox('accounts', 'create', 'Bakery', '--email', 'hello@bakery.example');
    const { json } = await home.sandbox('accounts', 'transfer', 'Bakery', '--amount', '25', '-o', 'json');
    expect(json).toBeDefined();
    await exportOf('credits');
    const rows = rowsOf(out) as unknown as { reason: string; transfer_account_id: string | null }[];
    const listed = (await home.sandbox('accounts', 'list', '-o', 'json')).json.sub_accounts as { id: string }[];
    expect(rows.find(({ reason }) => reason === 'transfer_out')?.transfer_account_id).toBe(listed[0]?.id);
    expect(rows.some((row) => row.transfer_account_id === null)).toBe(true);
  });

  it('goes on with the columns of a file that an earlier version began', async () => {
    out = join(home.path, 'out.csv');
    await demo();
    await exportOf('credits');
    const text = readFileSync(out, 'utf8')
      .split('\r\n')
      .map((line) => line.split(',').slice(0, 9).join(','))
      .join('\r\n');
    writeFileSync(out, text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    changeCheckpoint((stored) => ({ ...stored, written: { ...stored.written, sha256 } }));
    await send();
    expect((await exportOf('credits')).json).toMatchObject({ new_rows: 1 });
    const lines = readFileSync(out, 'utf8').trim().split('\r\n');
    expect(lines.every((line) => line.split(',').length === 9)).toBe(true);
    const { columns } = JSON.parse(readFileSync(`${out}.manifest.json`, 'utf8')) as { columns: string[] };
    expect(columns.join(',')).toBe(lines[0]);
  });
});

describe('an export without --since', () => {
  const spread = async () => {
    await demo();
    await home.sandbox('sandbox', 'clock', 'freeze', '2031-08-02T12:00:00Z');
    await send();
  };

  it('the ledger is exported from its first record with few requests, despite long gaps', async () => {
    await spread();
    const { json, stderr } = await exportOf('credits', '--debug');
    const { json: listed } = await home.sandbox(
      'analytics',
      'credits',
      '--from',
      '2026-01-01',
      '--to',
      '2031-08-02',
      '--all',
      '-o',
      'json',
    );
    const ids = (listed as { records: Exported[] }).records.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(2);
    expect(rowsOf(out).map(({ id }) => id)).toEqual(ids);
    expect((json as { from: string }).from <= '2027-03-01').toBe(true);
    const requests = stderr.match(/^GET \/v1\/analytics/gm)?.length ?? 0;
    expect(requests).toBeGreaterThan(4);
    expect(requests).toBeLessThan(20);
  });

  it('the ledger is exported with a key that may not read when the account was created', async () => {
    await spread();
    const { json } = await home.sandbox('keys', 'create', '--section', 'Analytics', '-o', 'json');
    home.env = { MSGCTL_API_KEY: (json as { api_key: string }).api_key };
    expect((await home.sandbox('api', 'GET', '/users/me')).code).toBe(4);
    expect((await exportOf('credits')).code).toBe(0);
    home.env = {};
    const { json: listed } = await home.sandbox(
      'analytics',
      'credits',
      '--from',
      '2026-01-01',
      '--to',
      '2031-08-02',
      '--all',
      '-o',
      'json',
    );
    expect(rowsOf(out).map(({ id }) => id)).toEqual((listed as { records: Exported[] }).records.map(({ id }) => id));
  });

  /** Acts with a key that may read analytics, but not when the account was created. */
  async function withKeyOfAnalytics<Value>(act: () => Promise<Value>): Promise<Value> {
    const { json } = await home.sandbox('keys', 'create', '--section', 'Analytics', '-o', 'json');
    home.env = { MSGCTL_API_KEY: (json as { api_key: string }).api_key };
    expect((await home.sandbox('api', 'GET', '/users/me')).code).toBe(4);
    const value = await act();
    home.env = {};
    return value;
  }

  it('the ledger is exported for a member who may read nothing else', async () => {
    await demo();
    const { json } = await home.sandbox(
      'sandbox',
      'members',
      'add',
      'Ada',
      'ada@example.com',
      '--permissions',
      'billing.view',
      '-o',
      'json',
    );
    home.env = { MSGCTL_API_KEY: (json as { id_token: string }).id_token };
    expect((await home.sandbox('analytics', 'summary')).code).toBe(4);
    expect((await exportOf('credits')).code).toBe(0);
    home.env = {};
    await expectWholeLedger();
  });

  it.each([0, 20])('corrections long before %d messages are exported with such a key', async (messages) => {
    await home.sandbox('sandbox', 'clock', 'freeze', '2031-08-02T12:00:00Z');
    if (messages > 0) await home.sandbox('sandbox', 'demo', '--messages', `${messages}`, '--days', '2');
    expect((await withKeyOfAnalytics(() => exportOf('credits'))).code).toBe(0);
    const rows = rowsOf(out) as unknown as { id: string; at: string; is_adjustment: boolean }[];
    const list = ['analytics', 'credits', '--from', '2026-01-01', '--to', '2031-08-02', '--all', '-o', 'json'];
    const { records } = (await home.sandbox(...list)).json as { records: Exported[] };
    expect(rows.map(({ id }) => id)).toEqual(records.map(({ id }) => id));
    expect(rows.length > 1).toBe(messages > 0);
    expect(rows.at(-1)?.is_adjustment).toBe(true);
    expect((rows.at(-1)?.at ?? '') < '2028').toBe(true);
  });

  it('a series exported with such a key begins with the first figures, or today if there are none', async () => {
    const asked = () => withKeyOfAnalytics(() => exportOf('series', '--metrics', 'sent'));
    expect((await asked()).json).toMatchObject({ from: '2027-03-01', rows: 1 });
    for (const file of [checkpoint, out]) rmSync(file);
    await demo();
    const { from, rows } = (await asked()).json as { from: string; rows: number };
    const summary = await home.sandbox('analytics', 'summary', '--from', '2026-03-02', '--to', '2027-03-01', '-o', 'json');
    const { by_date: days } = summary.json as { by_date: { date: string; total: number; credits_recharged: number }[] };
    expect(from).toBe(days.find(({ date: _date, ...figures }) => Object.values(figures).some((figure) => figure !== 0))?.date);
    expect(rows).toBe(days.filter(({ date }) => date >= from).length);
  });

  it('a series begins with the first figures', async () => {
    await demo();
    const { json } = await exportOf('series', '--metrics', 'sent');
    const { from, rows } = json as { from: string; rows: number };
    expect(from <= '2027-01-21').toBe(true);
    const summary = await home.sandbox('analytics', 'summary', '--from', '2026-03-02', '--to', '2027-03-01', '-o', 'json');
    const { by_date: days } = summary.json as { by_date: { date: string; sent: number }[] };
    expect(days.find(({ sent }) => sent > 0)?.date).toBe(
      (rowsOf(out) as unknown as { date: string; sent: number }[]).find(({ sent }) => sent > 0)?.date,
    );
    expect(rows).toBe(days.filter(({ date }) => date >= from).length);
  });

  it('a series begins earlier once there are earlier figures', async () => {
    const first = (await exportOf('series')).json as { from: string };
    await home.sandbox('sandbox', 'demo', '--messages', '900', '--days', '400');
    const second = (await exportOf('series', '--since', 'last')).json as { from: string; rows: number };
    expect(second.from < first.from).toBe(true);
    expect(second.rows).toBeGreaterThan(399);
  });
});

describe('conversations', () => {
  const contactOf = (number: number) => `+1415555${String(1_000 + number)}`;

  async function listed(): Promise<Exported[]> {
    const { json } = await home.sandbox('sessions', 'list', '--all', '-o', 'json');
    return (json as { chat_sessions: Exported[] }).chat_sessions;
  }

  it('are exported once, by the first run after they end', async () => {
    await demo();
    expect((await exportOf('sessions')).code).toBe(0);
    await send();
    expect((await exportOf('sessions')).json).toMatchObject({ new_rows: 0 });
    await advance(49 * 3_600);
    expect((await exportOf('sessions')).code).toBe(0);
    const ended = (await listed()).filter(({ concluded_at: end }) => end !== null).map(({ id }) => id);
    const ids = rowsOf(out).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(ended.toSorted());
    expect((await exportOf('sessions')).json).toMatchObject({ new_rows: 0 });
  });

  it('are exported although a page of older ones was added above them', async () => {
    await demo();
    expect((await exportOf('sessions')).code).toBe(0);
    await send();
    const [newest] = await listed();
    await advance(49 * 3_600);
    await demo();
    expect((await exportOf('sessions')).code).toBe(0);
    expect(rowsOf(out).map(({ id }) => id)).toContain(newest?.id);
    expect((await exportOf('sessions')).json).toMatchObject({ new_rows: 0 });
  });

  it('are exported exactly once, whatever happens between pages and runs', async () => {
    const round = fc.record({
      talks: fc.array(fc.nat(6), { maxLength: 4 }),
      hours: fc.constantFrom(0, 1, 20, 30, 60),
      rate: fc.constantFrom(0, 0.6, 0.9),
      seed: fc.nat(1_000),
      isMoved: fc.boolean(),
      deleted: fc.option(fc.nat(6), { freq: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 3, maxLength: 6 }), async (rounds) => {
        home.remove();
        await open();
        await demo();
        const consumed: string[] = [];
        const ended = new Set<string>();
        const gone = new Set<string>();
        const last = { talks: [0], hours: 60, rate: 0, seed: 0, isMoved: false, deleted: null };
        for (const { talks, hours, rate, seed, isMoved, deleted } of [...rounds, last, { ...last, talks: [] }]) {
          for (const number of talks) expect((await home.sandbox('contacts', 'send', contactOf(number), 'hello')).code).toBe(0);
          const before = await listed();
          if (deleted !== null) await home.sandbox('contacts', 'delete', contactOf(deleted), '--yes');
          await advance(hours * 3_600);
          const after = await listed();
          const left = new Set(after.map(({ id }) => id));
          for (const { id } of before) if (!left.has(id)) gone.add(id);
          for (const { id, concluded_at: end } of after) if (end !== null) ended.add(id);
          const fault = ['sandbox', 'faults', 'add', '--path', '/chat-sessions*', '--status', '503', '--seed', `${seed}`];
          if (rate > 0) await home.sandbox(...fault, '--rate', `${rate}`);
          const { code } = await exportOf('sessions');
          await home.sandbox('sandbox', 'faults', 'clear');
          expect(rate === 0 ? [0] : [0, 9, 1]).toContain(code);
          if (code !== 0 || !isMoved || !existsSync(out)) continue;
          consumed.push(...rowsOf(out).map(({ id }) => id));
          rmSync(out);
        }
        const ids = [...consumed, ...(existsSync(out) ? rowsOf(out).map(({ id }) => id) : [])];
        expect(new Set(ids).size).toBe(ids.length);
        const missing = [...ended].filter((id) => !ids.includes(id) && !gone.has(id));
        expect(missing).toEqual([]);
        expect(ids.filter((id) => !ended.has(id))).toEqual([]);
      }),
      { numRuns: tries(3) },
    );
  }, 120_000);

  it('are requested one by one if they stay open long, and the checkpoint stays small', async () => {
    await home.sandbox('sandbox', 'demo', '--messages', '20', '--days', '3');
    // This conversation stays open, while many others begin and end.
    await home.sandbox('contacts', 'send', contactOf(0), 'hello');
    await exportOf('sessions');
    const [long] = await listed();
    expect(long?.concluded_at).toBe(null);
    const others = async () => {
      for (let day = 0; day < 3; day++) {
        await home.sandbox('contacts', 'send', contactOf(0), 'still there?');
        await advance(20 * 3_600);
      }
      expect((await home.sandbox('sandbox', 'demo', '--messages', '3000', '--days', '2')).code).toBe(0);
      return await exportOf('sessions', '--debug');
    };
    await others();
    const { stderr } = await others();
    expect(stderr.match(/^GET \/v1\/chat-sessions\/[\w-]+/gm)).toContain(`GET /v1/chat-sessions/${long?.id ?? ''}`);
    expect(rowsOf(out).map(({ id }) => id)).not.toContain(long?.id);
    const open = (await listed()).filter(({ concluded_at: end }) => end === null).map(({ id }) => id);
    const { position } = JSON.parse(readFileSync(checkpoint, 'utf8')) as { position: { open: string[]; ids: string[] } };
    expect(position.open.toSorted()).toEqual(open.toSorted());
    expect(position.ids.length).toBeLessThan(60);
    await advance(60 * 3_600);
    await exportOf('sessions');
    expect(rowsOf(out).map(({ id }) => id)).toContain(long?.id);
  });
});

describe('a series', () => {
  it('is replaced as a whole from its first day', async () => {
    await demo();
    const options = ['--metrics', 'sent, delivered', '--group-by', 'channel'];
    const first = await exportOf('series', '--since', '2027-02-01', ...options);
    expect(first.code).toBe(0);
    await send();
    const second = await exportOf('series', ...options);
    expect(second.json).toMatchObject({ from: '2027-02-01', to: '2027-03-01', rows: (second.json as { new_rows: number }).new_rows });
    const { json } = await home.sandbox('analytics', 'series', '--from', '2027-02-01', ...options, '--fields', 'all', '-o', 'json');
    expect(rowsOf(out)).toEqual((json as { rows: object[] }).rows);
    expect(Object.keys(rowsOf(out)[0] ?? {})).toEqual(['date', 'channel', 'sent', 'delivered']);
  });
});

describe('an export refuses', () => {
  it.each([
    [['--dataset', 'credits', '--metrics', 'sent'], '--metrics is for --dataset series'],
    [['--dataset', 'credits', '--since', 'soon'], "--since 'soon' must be last, or YYYY-MM-DD, "],
    [
      ['--dataset', 'credits', '--since', '9:00'],
      "--since '9:00' is not a whole day, but figures are for whole days in UTC: write 2027-03-01",
    ],
    [['--dataset', 'series', '--since', '30h'], "--since '30h' is not a whole day, but figures are for whole days in UTC: write 2027-02-2"],
    [
      ['--dataset', 'series', '--since', '2027-02-03T04:00:00Z'],
      "--since '2027-02-03T04:00:00Z' is not a whole day, but figures are for whole days in UTC: write 2027-02-03",
    ],
    [['--dataset', 'series', '--since', '2027-03-02'], "--since '2027-03-02' is after today, 2027-03-01"],
    [['--dataset', 'credits', '--sub-account', 'all'], 'acts on one account at a time'],
    [['--dataset', 'series', '--metrics', 'nonsense'], "--metrics 'nonsense' must be among sent"],
    [['--dataset', 'credits', '--out', 'x.pdf'], "--out 'x.pdf' must end in .csv, .tsv, .ndjson or .jsonl"],
    [['--dataset', 'money'], "--dataset 'money' must be one of credits, series, sessions"],
  ])('%j', async (options, message) => {
    const given = ['--checkpoint', checkpoint, ...(options.includes('--out') ? [] : ['--out', out])];
    const { code, stderr } = await home.sandbox('analytics', 'export', ...given, ...options);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(readdirSync(home.path).filter((name) => /^(out|state)/.test(name))).toEqual([]);
  });

  it('paths where nothing can be written', async () => {
    const given = ['analytics', 'export', '--dataset', 'credits'];
    for (const [state, file] of [
      [join(home.path, 'none', 'state'), out],
      [checkpoint, join(home.path, 'none', 'out.csv')],
    ] as const) {
      const { code, stderr } = await home.sandbox(...given, '--checkpoint', state, '--out', file);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`There is no folder ${join(home.path, 'none')} for --`)]);
    }
    mkdirSync(join(home.path, 'folder.csv'));
    const { code, stderr } = await home.sandbox(...given, '--checkpoint', checkpoint, '--out', join(home.path, 'folder.csv'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('--out must be a file')]);
  });

  it('a checkpoint that was changed, and writes nothing', async () => {
    await demo();
    expect((await exportOf('credits')).code).toBe(0);
    const [whole, state] = [readFileSync(out), readFileSync(checkpoint, 'utf8')];
    for (const change of [{ position: null }, { position: {} }, { written: null }, { since: '2027-02-01' }]) {
      writeFileSync(checkpoint, JSON.stringify({ ...(JSON.parse(state) as object), ...change }));
      const { code, stderr } = await exportOf('credits');
      expect([code, stderr]).toEqual([2, expect.stringContaining('has changed since the last run')]);
      expect(readFileSync(out)).toEqual(whole);
    }
    writeFileSync(checkpoint, state);
    expect((await exportOf('credits')).code).toBe(0);
  });

  it.each(['', '.partial', '.manifest.json', '.lock'])('a checkpoint that the export would write: FILE%s', async (ending) => {
    const { code, stderr } = await home.sandbox(
      'analytics',
      'export',
      '--dataset',
      'credits',
      '--out',
      out,
      '--checkpoint',
      `${out}${ending}`,
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining('--checkpoint must not be a file that the export writes')]);
  });

  it('a checkpoint that is a pipe, without reading it', async () => {
    execFileSync('mkfifo', [checkpoint]);
    const { code, stderr } = await exportOf('credits');
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not the checkpoint of an export')]);
  });

  it('a file that it did not write, and a checkpoint of another dataset', async () => {
    writeFileSync(out, 'precious');
    const { code, stderr } = await exportOf('credits');
    expect(code).toBe(2);
    expect(stderr).toContain('has changed since the last export');
    expect(readFileSync(out, 'utf8')).toBe('precious');
    expect((await exportOf('credits', '--yes')).code).toBe(0);
    writeFileSync(out, 'edited');
    const edited = await exportOf('credits', '--yes');
    expect(edited.code).toBe(2);
    expect(edited.stderr).toContain('Name a new file for the new rows');
    expect(readFileSync(out, 'utf8')).toBe('edited');
    const other = await exportOf('sessions');
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('belongs to another dataset');
    writeFileSync(checkpoint, 'nonsense');
    expect((await exportOf('credits')).stderr).toContain('is not the checkpoint of an export');
  });

  it('a file that somebody created after a run was interrupted', async () => {
    await demo();
    await breakOff();
    writeFileSync(out, 'precious');
    const { code, stderr } = await exportOf('credits');
    expect([code, stderr]).toEqual([2, expect.stringContaining('has changed since the last export')]);
    expect(readFileSync(out, 'utf8')).toBe('precious');
    expect((await exportOf('credits', '--yes')).code).toBe(0);
    expect(rowsOf(out).map(({ id }) => id)).toEqual(await ledger());
  });

  it('to replace a file without --yes, also when it continues an interrupted run', async () => {
    await demo();
    writeFileSync(out, 'old');
    await breakOff('--yes');
    expect((await exportOf('credits')).code).toBe(2);
    expect(readFileSync(out, 'utf8')).toBe('old');
    expect((await exportOf('credits', '--yes')).code).toBe(0);
    expect(rowsOf(out).map(({ id }) => id)).toEqual(await ledger());
  });

  it('a file that was edited after an interrupted run, even with --yes, but continues in a new file', async () => {
    await demo();
    expect((await exportOf('credits')).code).toBe(0);
    const first = rowsOf(out).map(({ id }) => id);
    await advance(3 * 24 * 3_600);
    await home.sandbox('sandbox', 'demo', '--messages', '900', '--days', '2');
    await breakOff();
    writeFileSync(out, 'edited');
    const { code, stderr } = await exportOf('credits', '--yes');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Name a new file for the new rows')]);
    expect(readFileSync(out, 'utf8')).toBe('edited');
    out = join(home.path, 'new.ndjson');
    expect((await exportOf('credits')).code).toBe(0);
    expect([...first, ...rowsOf(out).map(({ id }) => id)].toSorted()).toEqual((await ledger('2027-03-04')).toSorted());
  });

  it('a file that an earlier run wrote, once a later run has used another file', async () => {
    await demo();
    expect((await exportOf('credits')).code).toBe(0);
    const first = out;
    out = join(home.path, 'other.ndjson');
    const other = await exportOf('credits', '-o', 'table');
    expect([other.code, other.stderr]).toEqual([0, expect.stringContaining(`Earlier rows are in ${first}.`)]);
    out = first;
    const { code, stderr } = await exportOf('credits');
    expect([code, stderr]).toEqual([2, expect.stringContaining('the last export wrote')]);
  });

  it('a file that somebody creates during the run, and keeps the rows beside it', async () => {
    await demo();
    await home.sandbox('sandbox', 'faults', 'add', '--path', '/analytics/credits', '--status', '503', '--times', '1');
    home.onSleep = async () => writeFileSync(out, 'precious');
    const { code, stderr } = await exportOf('credits');
    expect([code, stderr]).toEqual([2, expect.stringContaining('has changed since the last export')]);
    expect(readFileSync(out, 'utf8')).toBe('precious');
    expect((await exportOf('credits')).code).toBe(2);
    expect(readFileSync(out, 'utf8')).toBe('precious');
    // With another file name, the export succeeds, and --yes does not apply to the first file.
    const [taken, state] = [out, readFileSync(checkpoint)];
    out = join(home.path, 'new.ndjson');
    expect((await exportOf('credits', '--yes')).code).toBe(0);
    expect(rowsOf(out).map(({ id }) => id)).toEqual(await ledger());
    expect(readFileSync(taken, 'utf8')).toBe('precious');
    expect(existsSync(`${taken}.partial`)).toBe(false);
    // With --yes, the kept rows replace the file.
    renameSync(out, `${taken}.partial`);
    writeFileSync(checkpoint, state);
    out = taken;
    expect((await exportOf('credits', '--yes')).json).toMatchObject({ new_rows: 0 });
    expect(rowsOf(out).map(({ id }) => id)).toEqual(await ledger());
  });

  it.each(['checkpoint', 'file'])('a %s that a running process uses', async (what) => {
    const used = what === 'file' ? out : checkpoint;
    writeFileSync(`${used}.lock`, `${process.ppid}`);
    const { code, stderr } = await exportOf('credits');
    expect(code).toBe(6);
    expect(stderr).toContain(`Another export uses ${used}`);
    writeFileSync(`${used}.lock`, '0');
    expect((await exportOf('credits')).code).toBe(0);
  });
});
