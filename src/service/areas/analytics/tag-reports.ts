import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import type { Part, ReadStep } from '../../store/read-thread.ts';
import { readFiguresOfContacts } from './tagged-figures-part.ts';
import { countConversationsOfContacts } from './outcomes-part.ts';

/** The reports on the contacts that have some tags now. Each adds up from its parts. */
export const tagReports = { figures: readFiguresOfContacts, outcomes: countConversationsOfContacts };

type TagReports = typeof tagReports;

/** A report for a thread. */
export interface TagReport<Name extends keyof TagReports = keyof TagReports> {
  readonly name: Name;
  readonly asked: Parameters<TagReports[Name]>[1];
}

/** The number of contacts up to which a report is not worth starting threads: it takes a fraction of a second. */
const fewContacts = 10_000;

/**
 * Reads a report on the contacts with any of these tags: in threads where there are many contacts and the store has a file, else
 * step by step, so that other requests are served in between.
 */
export async function readByTags<Name extends keyof TagReports>(
  { reportThreads, store, scheduler }: Service,
  name: Name,
  tagIds: readonly string[],
  asked: TagReport<Name>['asked'],
): Promise<Awaited<ReturnType<TagReports[Name]>>[]> {
  const report = { name, asked };
  if (reportThreads && (await store.read((db) => haveManyContacts(db, tagIds)))) return await reportThreads.run(report);
  const readStep: ReadStep = (work) => scheduler.run(() => store.read(work));
  return [await readPart(readStep, report, { index: 0, count: 1 })];
}

/** Reads a part of a report. */
export async function readPart<Name extends keyof TagReports>(
  readStep: ReadStep,
  { name, asked }: TagReport<Name>,
  part: Part,
): Promise<Awaited<ReturnType<TagReports[Name]>>> {
  return (await tagReports[name](readStep, asked as never, part)) as Awaited<ReturnType<TagReports[Name]>>;
}

async function haveManyContacts(db: Db, tagIds: readonly string[]): Promise<boolean> {
  if (tagIds.length === 0) return false;
  const found = db.selectFrom('contact_tags').select('contact_seq').where('tag_id', 'in', tagIds).limit(1).offset(fewContacts);
  return (await found.executeTakeFirst()) !== undefined;
}
