import { listSessions } from '../../../../contract/areas/sessions/endpoints.ts';
import { type Dataset, isSettled, type Newest, type Reading, type Step } from './dataset.ts';

/** Where a run stopped. */
interface Resume extends Newest {
  readonly cursor: string | null;
  /** When the earliest conversation began that had not ended; null when all had. */
  readonly open: string | null;
}

/** The conversations that have ended, newest first, each once: a conversation is exported by the first run after its end. */
export const sessions: Dataset = {
  columns: () => ['id', 'contact_id', 'channel', 'agent_id', 'started_at', 'concluded_at', 'outcome', 'alerted'],
  isReplaced: false,
  read: readSessions,
};

/** `at` of the position is when the earliest conversation began that may not have been exported; `ids` are those after it that were. */
async function* readSessions({ client, since, position, resume }: Reading): AsyncGenerator<Step> {
  const last = (position ?? { at: null, ids: [] }) as unknown as Newest;
  const known = new Set(last.ids);
  const begun = resume as unknown as Resume | undefined;
  let { at: newest, open } = begun ?? { at: null, open: null };
  const exported = [...(begun?.ids ?? [])];
  const query = begun === undefined || begun.cursor === null ? {} : { cursor: begun.cursor };
  for await (const { rows: page, next_cursor: next } of client.pages(listSessions, { query }, undefined)) {
    const found = page as unknown as { id: string; started_at: string; concluded_at: string | null }[];
    const reached = found.filter(({ started_at: at }) => !isSettled(at, last.at) && (since === null || at >= since));
    const rows = reached.filter(({ id, concluded_at: end }) => end !== null && !known.has(id));
    newest ??= found[0]?.started_at ?? null;
    for (const { concluded_at: end, started_at: at } of reached) if (end === null && (open === null || at < open)) open = at;
    exported.push(...reached.filter(({ concluded_at: end }) => end !== null).map(({ id, started_at: at }) => `${at} ${id}`));
    const isLast = next === null || reached.length < found.length;
    const floor = open ?? newest ?? last.at;
    const after = () => exported.filter((entry) => !isSettled(entry.slice(0, 24), floor)).map((entry) => entry.slice(25));
    yield {
      rows,
      resume: { cursor: next, at: newest, ids: exported, open },
      done: isLast ? { at: floor, ids: after() } : null,
    };
    if (isLast) return;
  }
}
