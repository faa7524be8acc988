import { randomUUID } from 'node:crypto';
import { type Caller, RefusedCall, UnansweredCall } from '../../contract/call.ts';
import { iso } from '../../contract/time/instants.ts';
import { CurrentRecords } from './current-records.ts';
import { groupsOf } from './groups.ts';
import { type Intent, type Journal, JournalError, type Kept, type Outcome } from './journal.ts';
import type { Created, Kind, KindName, LiveRecord, NewSecret, Write } from '../kind.ts';
import { idAfter, isShown, keyOf, titleOf } from '../record-keys.ts';
import { noneAt404 } from '../kinds/rows.ts';
import { kinds } from '../kinds.ts';
import { type Live, readLive } from '../live.ts';
import { type Repetition, writeText } from './repetition.ts';
import { referrersOf, referringKinds } from '../referrers.ts';
import type { Change, Plan } from '../plan/plan.ts';
import { differing, type Fields, hasFields, isSame, pick, revealed, withReferences } from '../values.ts';

export type ResultWord = 'done' | 'already' | 'conflict' | 'skipped' | 'failed';

/** The result of a change. */
export interface ChangeResult {
  readonly change: Change;
  readonly result: ResultWord;
  /** Why the change was not made. */
  readonly reason?: string | undefined;
}

/** Whether a change was not made. */
export function isOpen({ result }: ChangeResult): boolean {
  return result !== 'done' && result !== 'already';
}

/** The input of an apply. */
export interface Execution {
  readonly client: Caller;
  readonly live: Live;
  readonly journal: Journal;
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
  readonly maxFailures?: number | undefined;
  /** Returns whether to stop. Called before each change. */
  readonly isStopped?: () => boolean;
  /** Receives a secret that is shown only once. */
  readonly keepSecret: (secret: NewSecret) => void;
  readonly onResult?: (result: ChangeResult) => void;
  /** What an undo knows about the records that it restores. */
  readonly kept?: Kept;
  /** How writes are repeated. Without it, each request is a new one. */
  readonly repetition?: Repetition;
}

/** The result of a plan. */
export interface Executed {
  readonly results: readonly ChangeResult[];
  /** The error that ended the run: rejected credentials, no connection, or a journal that cannot be written. */
  readonly fatal: Error | undefined;
  /** Whether changes were skipped because the run was asked to stop. */
  readonly wasStopped: boolean;
}

/** A change for which nothing is written, and why. */
interface Nothing {
  readonly write: 'nothing';
  readonly result: ResultWord;
  readonly reason?: string;
}

/** What is written for a change. `live` is the record to overwrite. */
type Step = Nothing | { readonly write: 'create'; readonly live: undefined } | { readonly write: 'overwrite'; readonly live: LiveRecord };

const already: Nothing = { write: 'nothing', result: 'already' };

function conflict(reason: string): Nothing {
  return { write: 'nothing', result: 'conflict', reason };
}

/** Applies a plan, one change at a time. */
export async function execute(plan: Plan, execution: Execution): Promise<Executed> {
  return await new Executor(plan, execution).run();
}

class Executor {
  readonly #plan: Plan;
  readonly #execution: Execution;
  readonly #client: Caller;
  readonly #results = new Map<number, ChangeResult>();
  readonly #current: CurrentRecords;
  /**
   * The fields that the run itself wrote, by record. Several changes can be about the same record: a FAQ that campaigns share.
   */
  readonly #written = new Map<string, Fields>();
  /** The records that refer to a kind, cached during consecutive deletions of that kind. */
  #referring: { readonly target: KindName; readonly live: Live } | undefined;
  /** The numbers of changes that deleted a record but failed to recreate it. */
  readonly #deleted = new Set<number>();
  #fatal: Error | undefined;
  #wasStopped = false;
  #failures = 0;

  constructor(plan: Plan, execution: Execution) {
    this.#plan = plan;
    this.#execution = execution;
    this.#client = execution.client;
    this.#current = new CurrentRecords(execution.client, execution.live, plan.rules);
  }

  async run(): Promise<Executed> {
    const { changes } = this.#plan;
    for (const group of groupsOf(changes)) {
      const ready = group.filter((change) => {
        const reason = this.#whySkipped(change);
        if (reason !== undefined) this.#tell({ change, result: 'skipped', reason });
        return reason === undefined;
      });
      if (ready.length === 0) continue;
      try {
        if (group.length > 1) await this.#writeMany(ready);
        else for (const change of ready) await this.#writeOne(change);
      } catch (error) {
        this.#fail(ready, error);
      }
    }
    const results = changes.map(({ number }) => this.#results.get(number) as ChangeResult);
    // Without an end in the journal, a stopped run counts as interrupted, like one that was killed, so that its undo can be
    // continued.
    if (!this.#wasStopped) this.#end(results);
    return { results, fatal: this.#fatal, wasStopped: this.#wasStopped };
  }

  #end(results: readonly ChangeResult[]): void {
    try {
      this.#execution.journal.end(results.filter(isOpen).length + this.#plan.blocked.length, this.#failures);
    } catch (error) {
      // The changes were made all the same, so their results are still reported.
      if (!(error instanceof JournalError)) throw error;
      this.#fatal ??= error;
    }
  }

  #whySkipped(change: Change): string | undefined {
    if (this.#fatal) return 'the run ended before this change';
    this.#wasStopped ||= this.#execution.isStopped?.() === true;
    if (this.#wasStopped) return 'the run was interrupted';
    if (this.#failures >= (this.#execution.maxFailures ?? Infinity)) return 'the run stopped after too many failures';
    const missing = change.needs.find((number) => !['done', 'already'].includes(this.#results.get(number)?.result ?? ''));
    const needed = this.#plan.changes.find(({ number }) => number === missing);
    return needed && `it needs the ${kinds[needed.kind].noun} '${needed.key}', which was not changed as planned`;
  }

  #tell(result: ChangeResult): void {
    this.#results.set(result.change.number, result);
    if (result.result === 'failed') this.#failures++;
    this.#execution.onResult?.(result);
  }

  #fail(changes: readonly Change[], error: unknown): void {
    if (!(error instanceof Error)) throw error;
    const isRefused = error instanceof RefusedCall && error.status === 401;
    if (isRefused || error instanceof UnansweredCall || error instanceof JournalError) this.#fatal = error;
    const open = changes.filter(({ number }) => !this.#results.has(number));
    for (const change of open) {
      const rest = this.#deleted.has(change.number) ? '. The record was deleted but could not be created again: run apply again' : '';
      this.#tell({ change, result: 'failed', reason: `${error.message}${rest}` });
    }
  }

  /** Compares the current record with the plan. */
  #compare(change: Change, found: LiveRecord | undefined): Step {
    const { action, before, after } = change;
    if (action === 'create') {
      if (!found) return { write: 'create', live: undefined };
      if (hasFields(found.fields, after ?? {})) return already;
      return conflict('another record with this name was created in the meantime');
    }
    if (!found) return action === 'delete' ? already : conflict('it no longer exists');
    const kind = kinds[change.kind];
    if (!isShown(kind, change, found.fields)) return conflict(`the record is now '${titleOf(kind, found.fields)}'`);
    if (action === 'touch') return { write: 'overwrite', live: found };
    if (after !== null && hasFields(found.fields, after)) return already;
    const expected = { ...before, ...pick(this.#written.get(recordKey(change.kind, found.id)) ?? {}, Object.keys(before ?? {})) };
    if (!hasFields(found.fields, expected))
      return conflict(`it was changed in the meantime: ${differing(expected, found.fields).join(', ')}`);
    const lost = action === 'delete' ? this.#lostSince(change, found) : undefined;
    return lost === undefined ? { write: 'overwrite', live: found } : conflict(`deleting it would now lose data: ${lost}`);
  }

  /** What deleting a record loses permanently since the run was allowed; undefined if nothing more. */
  #lostSince({ kind }: Change, found: LiveRecord): string | undefined {
    const loses = kinds[kind].loss?.ofDeletion;
    if (!loses) return undefined;
    const before = this.#execution.live.records.get(kind)?.find(({ id }) => id === found.id);
    return before && loses(before) === undefined ? loses(found) : undefined;
  }

  /** Whether another record has the new name of a record that is renamed. */
  async #isNameTaken(change: Change, { id }: LiveRecord): Promise<boolean> {
    if (change.action !== 'rename') return false;
    // An undo restores original names, even if several records shared one. Journals of earlier versions do not have the others.
    const kept = this.#execution.kept?.get(change.number);
    if (kept && !kept.twins) return false;
    const twins = kept?.twins ?? [];
    const named = await this.#current.named(change);
    return named.some((each) => each.id !== id && !twins.includes(each.id) && !this.#written.has(recordKey(change.kind, each.id)));
  }

  /** The ids of the other records that have the name of a record before it is renamed; undefined if it is not renamed. */
  #twinsOf({ kind: name, action }: Change, live: LiveRecord | undefined): string[] | undefined {
    if (action !== 'rename' || !live) return undefined;
    const kind = kinds[name];
    const isTwin = ({ id, fields }: LiveRecord) => id !== live.id && keyOf(kind, fields) === keyOf(kind, live.fields);
    return (this.#execution.live.records.get(name) ?? []).filter(isTwin).map(({ id }) => id);
  }

  async #writeOne(change: Change): Promise<void> {
    const kind = kinds[change.kind];
    const found = await this.#current.readEitherWay(change, this.#plan.changes);
    const step = this.#compare(change, found);
    const kept = this.#execution.kept?.get(change.number)?.members;
    if (step.write === 'nothing') return await this.#leave(change, step, found, kept);
    const { live } = step;
    if (live && (await this.#isNameTaken(change, live))) return await this.#leave(change, conflict('another record now has its new name'));
    const lost = change.action === 'delete' ? await this.#lostWith(change) : {};
    const [left] = await this.#attempt([change], [this.#intent(change, live, lost)], async (client) => {
      const id = await this.#write(kind, change, live, client).catch((error: unknown) => this.#noteUnchanged(change, live, error));
      return [{ change, left: await this.#readAfter(kind, change, { id, live, kept }, client) }];
    });
    if (change.action === 'delete') this.#done(change, null, null);
    else this.#settle(change, left?.left);
  }

  /** Nothing, if the earlier attempt of changes was refused, or what it created is gone. @throws the error otherwise */
  async #unlessRefused(changes: readonly Change[], error: unknown): Promise<never[]> {
    if (!(error instanceof RefusedCall) || error.status === 401) throw error;
    if (isRefusal(error) || (error.reason === 'answer_not_kept' && (await this.#areMissing(changes)))) return [];
    throw error;
  }

  /** Reads a record after it was written, with its contacts restored. @param of.id the id that it has now, or had until it was deleted */
  async #readAfter(
    kind: Kind,
    change: Change,
    { id, live, kept }: { readonly id: string; readonly live: LiveRecord | undefined; readonly kept: readonly string[] | undefined },
    client: Caller,
  ): Promise<LiveRecord | undefined> {
    if (change.action !== 'delete') {
      this.#current.remember(change.kind, id, { ...live?.fields, ...change.after });
      if (kept) await kind.loss?.members?.restore(client, id, kept);
      const written = { id: idAfter(kind, id, change.after), action: 'update' } as const;
      const found = await this.#current.read({ ...change, ...(kind.identity.hasNewId ? { id: null, action: 'create' } : written) });
      if (found) return found;
    }
    this.#current.forget(change.kind, id);
    return undefined;
  }

  /**
   * Makes changes, whose intents are in the journal before. If they were attempted before and the outcome is unknown, the same
   * requests are sent first: they wait for that attempt, and have no second effect. If that does not lead to what is planned, because
   * the attempt was refused, or somebody changed the records since, they are sent as new ones.
   */
  async #attempt(
    changes: readonly Change[],
    intents: readonly Intent[],
    write: (client: Caller) => Promise<Written[]>,
  ): Promise<Written[]> {
    const { journal, repetition } = this.#execution;
    const begin = (seed: string) => {
      journal.intend(intents.map((intent) => ({ ...intent, seed })));
      return repetition?.keyed(seed) ?? this.#client;
    };
    const [earlier, ...others] = new Set(intents.map((intent) => repetition?.unsettled.get(writeText(intent))));
    if (earlier !== undefined && others.length === 0) {
      const written = await write(begin(earlier)).catch((error: unknown) => this.#unlessRefused(changes, error));
      if (written.length > 0 && written.every(isAsPlanned)) return written;
    }
    return await write(begin(randomUUID()));
  }

  /** What a deletion removes from other records. */
  async #lostWith(change: Change): Promise<Pick<Intent, 'members' | 'referrers'>> {
    const members = change.id === null ? undefined : await kinds[change.kind].loss?.members?.read(this.#client, change.id);
    const referring = referringKinds(change.kind);
    if (referring.length === 0) return { members };
    if (this.#referring?.target !== change.kind) this.#referring = { target: change.kind, live: await readLive(this.#client, referring) };
    const referrers = referrersOf(change, this.#referring.live);
    return { members, ...(referrers.length > 0 && { referrers }) };
  }

  /**
   * Reports a change for which nothing is written.
   * @param kept the contacts of the record; an interrupted undo may have recreated it without them
   */
  async #leave(change: Change, { result, reason }: Nothing, found?: LiveRecord, kept?: readonly string[]): Promise<void> {
    if (result === 'already' && found) {
      this.#current.remember(change.kind, found.id, found.fields);
      if (kept) await kinds[change.kind].loss?.members?.restore(this.#client, found.id, kept);
    }
    this.#tell({ change, result, reason });
  }

  /** @returns the id of the record */
  async #write(kind: Kind, change: Change, live: LiveRecord | undefined, client: Caller): Promise<string> {
    const { keepSecret } = this.#execution;
    const { idOf } = this.#current;
    const fields = revealed(change.after ?? {}) as Fields;
    if (change.action !== 'delete') this.#referring = undefined;
    if (!live) return await this.#create(kind, change, { client, idOf, fields: withoutNulls(kind, fields), id: change.id ?? undefined });
    // The record existed right before, so 404 means that a first attempt deleted it and its response was lost.
    if (change.action === 'delete') await kind.writing.remove({ client, live, idOf }).catch(noneAt404);
    else {
      const secret = await kind.writing.update({ client, idOf, fields, live });
      if (secret) keepSecret(secret);
    }
    return live.id;
  }

  /** Creates a record and records its id in the journal as soon as its secret is kept, in case a later step fails. */
  async #create(kind: Kind, change: Change, write: Write): Promise<string> {
    const { journal, keepSecret } = this.#execution;
    const { id, secret } = await this.#noteRefusal([change], () =>
      kind.writing.create(write).catch((error: unknown) => this.#createdBefore(kind, change, error)),
    );
    // A secret counts as kept once the journal has the answer, so one that a killed run received is not given up.
    if (secret) keepSecret(secret);
    journal.settle([{ number: change.number, result: 'made', id, fieldsAfter: null }]);
    await kind.writing.completion?.write({ ...write, id });
    return id;
  }

  /**
   * The record of a creation that was carried out before, whose answer is not kept because of its secret.
   * @throws the error if it is another one, or the secret cannot be read again
   */
  async #createdBefore(kind: Kind, change: Change, error: unknown): Promise<Created> {
    if (!(error instanceof RefusedCall) || error.reason !== 'answer_not_kept') throw error;
    const found = await this.#current.read(change);
    const secret = found && (await kind.loss?.secret?.read?.(this.#client, found));
    if (!found || !secret) throw error;
    return { id: found.id, secret };
  }

  /** Makes one call. If the service rejects it, records in the journal that the changes failed. @throws the errors of `write` */
  async #noteRefusal<Answer>(changes: readonly Change[], write: () => Promise<Answer>): Promise<Answer> {
    try {
      return await write();
    } catch (error) {
      if (isRefusal(error) || (isDefect(error) && (await this.#areMissing(changes)))) this.#settleFailed(changes);
      throw error;
    }
  }

  /** Whether none of the records that the changes create exists. */
  async #areMissing(changes: readonly Change[]): Promise<boolean> {
    for (const change of changes)
      if (change.action !== 'create' || (await this.#current.read(change).catch(() => null)) !== undefined) return false;
    return true;
  }

  /** After a failed write, records in the journal what happened to the record, if that can be determined. @throws the error */
  async #noteUnchanged(change: Change, live: LiveRecord | undefined, error: unknown): Promise<never> {
    const isRemade = kinds[change.kind].writing.isRemade === true && change.action !== 'delete';
    if (live && error instanceof RefusedCall && (isRefusal(error) || isRemade)) {
      // A write can consist of several calls, some of which may have succeeded.
      const now = await this.#current.read(change).catch(() => null);
      if (now && isSame(now.fields, live.fields) && isRefusal(error)) this.#settleFailed([change]);
      if (now === undefined && isRemade) this.#deleted.add(change.number);
    }
    throw error;
  }

  #settleFailed(changes: readonly Change[]): void {
    this.#execution.journal.settle(changes.map(({ number }) => ({ number, result: 'failed', id: null, fieldsAfter: null })));
  }

  /** Writes several records with one call, except those that changed in the meantime. */
  async #writeMany(changes: readonly Change[]): Promise<void> {
    const [first] = changes;
    const kind = kinds[first?.kind as KindName];
    const { many } = kind.writing;
    if (!first || !many) return;
    const before = await this.#current.near(kind, first);
    const open: { change: Change; live: LiveRecord | undefined }[] = [];
    for (const change of changes) {
      const found = this.#current.pick(change, before);
      const step = this.#compare(change, found);
      if (step.write === 'nothing') await this.#leave(change, step, found);
      else open.push({ change, live: step.live });
    }
    if (open.length === 0) return;
    const intents = open.map(({ change, live }) => this.#intent(change, live, {}));
    const records = open.map(({ change, live }) => ({
      ...change.name,
      ...(live && pick(live.fields, kind.identity.key)),
      ...withoutNulls(kind, revealed(change.after) as Fields, live),
    }));
    const written = open.map(({ change }) => change);
    const after = await this.#attempt(written, intents, async (client) => {
      await this.#noteRefusal(written, () => many.write({ client, idOf: this.#current.idOf, records }));
      const near = await this.#current.near(kind, first);
      return written.map((change) => ({ change, left: this.#current.pick(change, near) }));
    });
    for (const { change, left } of after) this.#settle(change, left);
  }

  /** Compares the live record with the intended one and settles the change. */
  #settle(change: Change, left: LiveRecord | undefined): void {
    if (left && isAsPlanned({ change, left })) {
      const key = recordKey(change.kind, left.id);
      this.#written.set(key, { ...this.#written.get(key), ...change.after });
      return this.#done(change, left.id, left.fields);
    }
    const outcome: Outcome = { number: change.number, result: 'done', id: left?.id ?? null, fieldsAfter: left?.fields ?? null };
    this.#execution.journal.settle([outcome]);
    const reason = left
      ? `the service has another value: ${differing(change.after ?? {}, left.fields).join(', ')}`
      : 'the record no longer exists';
    this.#tell({ change, result: 'failed', reason });
  }

  #done(change: Change, id: string | null, left: Fields | null): void {
    this.#execution.journal.settle([{ number: change.number, result: 'done', id, fieldsAfter: left }]);
    this.#tell({ change, result: 'done' });
  }

  #intent(change: Change, live: LiveRecord | undefined, lost: Pick<Intent, 'members' | 'referrers'>): Intent {
    const { number, kind, key, name, action, id, after } = change;
    const at = iso(this.#execution.now());
    const written = after && (withReferences(after) as Fields);
    const twins = this.#twinsOf(change, live);
    const kept = { ...lost, ...(twins && { twins }) };
    return { number, at, kind, key, name, action, id, fieldsBefore: live?.fields ?? null, after: written, ...kept };
  }
}

/** A change that was written, and the record that it left. */
interface Written {
  readonly change: Change;
  readonly left: LiveRecord | undefined;
}

function isAsPlanned({ change, left }: Written): boolean {
  return left !== undefined && hasFields(left.fields, change.after ?? {});
}

/** Whether the service rejected a call without doing anything: not if it, or an earlier attempt, was carried out or is at work. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof RefusedCall)) return false;
  return error.status < 500 && error.reason !== 'answer_not_kept' && error.reason !== 'request_at_work';
}

/** Whether the service failed while it handled a call. Unlike after a gateway timeout, the call is no longer running. */
function isDefect(error: unknown): boolean {
  return error instanceof RefusedCall && error.status === 500;
}

function recordKey(kind: KindName, id: string): string {
  return `${kind}\0${id}`;
}

/** Removes nulls from a new record, as it has no fields to clear. */
function withoutNulls(kind: Kind, fields: Fields, live?: LiveRecord): Fields {
  if (live) return fields;
  return Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => value !== null || kind.writing.nulls?.includes(field) === true),
  );
}
