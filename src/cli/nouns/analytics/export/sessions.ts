import type { Client } from '../../../../client/client.ts';
import { InterfaceError } from '../../../../client/errors.ts';
import { getSession, listSessions } from '../../../../contract/areas/sessions/endpoints.ts';
import type { Answer } from '../../../../contract/endpoint.ts';
import { type Dataset, endOf, isSettled, type Newest, noneYet, type Reading, type ExportStep, withNewest } from './dataset.ts';

type ChatSession = Answer<typeof getSession>['chat_session'];

/** What was seen of the list: the newest conversations, and the ids of all that had not ended. */
interface Seen extends Newest {
  readonly open: readonly string[];
}

/** The state from which a run continues. */
interface Resume extends Seen {
  /** The cursor of the next page of the list; null for the first page. */
  readonly cursor: string | null;
  readonly isListRead: boolean;
  /** Whether a conversation was found that the last run knew. Until then, the list has only newer ones, whatever their dates. */
  readonly isBack: boolean;
  /** The ids of conversations that were open in the last run and have not been seen again yet. */
  readonly left: readonly string[];
}

const pageSize = 100;

/** Ended conversations, newest first. Each conversation is exported once, by the first run after its end. */
export const sessions: Dataset = {
  columns: () => ['id', 'contact_id', 'channel', 'agent_id', 'started_at', 'concluded_at', 'outcome', 'alerted'],
  isReplaced: false,
  begins: () => null,
  read: readSessions,
};

/**
 * Reads the list down to what the last run saw, and further while pages contain conversations that were open then. The
 * remaining ones are requested individually, because a conversation that stays open for months would require reading many
 * pages.
 */
async function* readSessions({ client, since, position, resume }: Reading): AsyncGenerator<ExportStep> {
  const last = (position ?? { ...noneYet, open: [] }) as unknown as Seen;
  const [known, wasOpen] = [new Set(last.ids), new Set(last.open)];
  const isNew = ({ id, started_at: at }: ChatSession) => !known.has(id) && !isSettled(at, last.at) && (since === null || at >= since);
  let place = (resume as Resume | undefined) ?? {
    ...noneYet,
    open: [],
    cursor: null,
    isListRead: false,
    isBack: known.size === 0,
    left: last.open,
  };
  const step = (found: readonly ChatSession[]): ExportStep => {
    const wanted = found.filter((each) => wasOpen.has(each.id) || isNew(each));
    place = { ...place, open: [...place.open, ...wanted.filter(({ concluded_at: end }) => end === null).map(({ id }) => id)] };
    const isLast = place.isListRead && place.left.length === 0;
    return {
      rows: wanted.filter(({ concluded_at: end }) => end !== null),
      resume: { ...place },
      done: isLast ? { ...endOf(last, place), open: place.open } : null,
    };
  };
  while (!place.isListRead) {
    const query = { limit: pageSize, ...(place.cursor === null ? {} : { cursor: place.cursor }) };
    const { chat_sessions: found, next_cursor: cursor } = await client.call(listSessions, { query });
    const isBack = place.isBack || found.some(({ id }) => known.has(id));
    const isPast = isBack && found.some(({ started_at: at }) => isSettled(at, last.at) || isSettled(at, since));
    const seen = new Set(found.map(({ id }) => id));
    const left = place.left.filter((id) => !seen.has(id));
    const isListRead = cursor === null || (isPast && left.length === place.left.length);
    const newest = withNewest(
      place,
      found.map(({ id, started_at: at }) => ({ id, at })),
    );
    place = { ...place, ...newest, cursor, isListRead, isBack, left };
    yield step(found);
  }
  for (let [id, ...left] = place.left; id !== undefined; [id, ...left] = place.left) {
    const found = await findSession(client, id);
    place = { ...place, left };
    yield step(found);
  }
}

/** A conversation as a list; empty if it was deleted together with its contact. */
async function findSession(client: Client, id: string): Promise<ChatSession[]> {
  try {
    return [(await client.call(getSession, { params: { id } })).chat_session];
  } catch (error) {
    if (error instanceof InterfaceError && error.status === 404) return [];
    throw error;
  }
}
