import type { ExportFormat } from '../../../contract/areas/exports/endpoints.ts';
import { iso } from '../../../contract/time/instants.ts';
import { guard } from '../../../contract/text/formula-guard.ts';
import { escapeHtml } from '../../../pages/html/document.ts';
import { messages as messageTable, type Message } from '../messages/table.ts';
import { chatSessionRecord } from '../sessions/records.ts';
import type { ChatSession } from '../sessions/table.ts';
import type { ChatExport } from './table.ts';

/** A session as files have it. */
export interface ExportedSession {
  readonly session: ChatSession;
  readonly contact: {
    readonly id: string;
    readonly name: string | null;
    readonly phone_number: string | null;
    readonly email: string | null;
  };
  readonly agent: { readonly id: string; readonly name: string } | null;
  /** The names of the tags of the contact. */
  readonly tags: readonly string[];
}

/** How a file is written piece by piece. Each piece depends only on what it is given, so that a file can be continued. */
export interface FileFormat {
  readonly contentType: string;
  readonly head: (row: ChatExport) => string;
  readonly sessionBegin: (exported: ExportedSession, isFirst: boolean) => string;
  readonly message: (message: Message, exported: ExportedSession, isFirst: boolean) => string;
  readonly sessionEnd: string;
  readonly end: string;
}

/** The texts of a message that is a file or a call of a tool. */
function bodyOf({ body, media, tool }: Message): string {
  if (media) return body === '' ? media.name : `${body} (${media.name})`;
  return body === '' && tool ? tool.name : body;
}

const json: FileFormat = {
  contentType: 'application/json; charset=utf-8',
  head: ({ id, from_day: from, to_day: to, contact_ids, tag_id, agent_id, channel, created_at }) => {
    const about = { id, from, to, contact_ids, tag_id, agent_id, channel, created_at: iso(created_at) };
    return `{"chat_export":${JSON.stringify(about)},"chat_sessions":[`;
  },
  sessionBegin: ({ session, contact, agent, tags }, isFirst) => {
    const { contact_id: _, agent_id: __, ...record } = chatSessionRecord(session);
    return `${isFirst ? '' : ','}\n${JSON.stringify({ ...record, contact, agent, tags }).slice(0, -1)},"messages":[`;
  },
  message: (message, _exported, isFirst) => {
    const { contact_id: _, session_id: __, ...shown } = messageTable.show(message);
    const media = message.media && { name: message.media.name, mime_type: message.media.mime_type };
    return `${isFirst ? '' : ','}\n${JSON.stringify({ ...shown, media })}`;
  },
  sessionEnd: ']}',
  end: '\n]}\n',
};

/** A line of CSV (RFC 4180). Cells that a spreadsheet would take for formulas are guarded, as the command line does. */
function csvLine(cells: readonly (string | null)[]): string {
  const quoted = cells.map((cell) => {
    const text = guard(cell ?? '');
    return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${quoted.join(',')}\r\n`;
}

const csv: FileFormat = {
  contentType: 'text/csv; charset=utf-8',
  head: () =>
    csvLine([
      ...['session_id', 'started_at', 'outcome', 'channel', 'contact_id', 'contact', 'phone_number', 'agent', 'tags'],
      ...['message_id', 'created_at', 'direction', 'sender', 'type', 'status', 'body'],
    ]),
  sessionBegin: () => '',
  message: (message, { session, contact, agent, tags }) => {
    const { id, started_at, outcome, channel } = chatSessionRecord(session);
    const { direction, sender, type, status } = message;
    return csvLine([
      ...[id, started_at, outcome, channel, contact.id, contact.name, contact.phone_number, agent?.name ?? null, tags.join(', ')],
      ...[message.id, iso(message.created_at), direction, sender, type, status, bodyOf(message)],
    ]);
  },
  sessionEnd: '',
  end: '',
};

/** An instant as people read it: `2027-03-01 15:00 UTC`. */
function readable(at: number): string {
  return `${iso(at).slice(0, 16).replace('T', ' ')} UTC`;
}

const style = `body{font:15px/1.45 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin:0}section{margin:2rem 0;border-top:1px solid #ccc;padding-top:1rem}
.about,time{color:#555;font-size:.85rem}.message{margin:.6rem 0;padding:.5rem .8rem;border-radius:.6rem;max-width:80%;background:#eee;
white-space:pre-wrap;overflow-wrap:anywhere;break-inside:avoid}.outbound{margin-left:auto;background:#dcebff}
.message b{font-size:.85rem}@media print{body{margin:0;max-width:none}.message{border:1px solid #ccc}}`;

const html: FileFormat = {
  contentType: 'text/html; charset=utf-8',
  head: ({ from_day: from, to_day: to, created_at: at }) =>
    `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Chat sessions from ${from} to ${to}</title><style>${style}</style></head><body>
<h1>Chat sessions from ${from} to ${to}</h1><p class="about">Exported ${readable(at)}</p>
`,
  sessionBegin: ({ session, contact, agent, tags }) => {
    const { channel, outcome } = chatSessionRecord(session);
    const about = [
      contact.name === null ? null : contact.phone_number,
      contact.email,
      channel,
      agent && `agent ${agent.name}`,
      tags.length > 0 ? `tags ${tags.join(', ')}` : null,
      outcome && `outcome ${outcome.replaceAll('_', ' ')}`,
    ].filter((each) => each !== null);
    return `<section><h2>${escapeHtml(contact.name ?? contact.phone_number ?? contact.id)}</h2>
<p class="about">${readable(session.started_at)} · ${about.map(escapeHtml).join(' · ')}<br>${session.id}</p>
`;
  },
  message: (message, { contact, agent }) => {
    const { direction, sender, created_at: at } = message;
    // Another agent may have answered before that of the session.
    const who =
      direction === 'inbound'
        ? (contact.name ?? contact.phone_number ?? 'Contact')
        : agent !== null && sender === 'ai' && message.agent_id === agent.id
          ? agent.name
          : sender;
    return `<div class="message ${direction}"><b>${escapeHtml(who)}</b> <time>${readable(at)}</time>
${escapeHtml(bodyOf(message))}</div>
`;
  },
  sessionEnd: '</section>\n',
  end: '</body></html>\n',
};

/** The formats of files. */
export const fileFormats: Readonly<Record<ExportFormat, FileFormat>> = { json, csv, html };
