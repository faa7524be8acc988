import type { Attention } from '../../../contract/areas/snapshots/endpoints.ts';
import type { SnapshotKind } from '../../../contract/areas/snapshots/kinds.ts';
import { shellWord } from '../../output/shell-word.ts';
import type { Session } from '../../verb/noun.ts';
import { sameTarget } from '../../verb/same-target.ts';
import type { AppliedRow } from './applied-row.ts';

/** The command with which a person mends a record, or looks at it. */
const commands: Readonly<Record<SnapshotKind, (key: string) => string>> = {
  tags: () => 'tags list',
  lists: () => 'lists list',
  events: (key) => `events get ${shellWord(key)}`,
  pipelines: (key) => `pipelines get ${shellWord(key)}`,
  functions: (key) => `functions update ${shellWord(key)} --header 'NAME=@FILE' --enabled`,
  'tool-servers': (key) => `tool-servers update ${shellWord(key)} --header 'NAME=@FILE' --enabled`,
  agents: (key) => `agents get ${shellWord(key)}`,
  campaigns: (key) => `campaigns get ${shellWord(key)}`,
  faqs: () => 'faqs list',
  groups: (key) => `kb groups get ${shellWord(key)}`,
  templates: () => 'templates list',
  webhooks: (key) => `webhooks secret show ${shellWord(key)}`,
  widgets: (key) => `widgets get ${shellWord(key)}`,
  defaults: (key) => `channels pair ${shellWord(key.split(' / ').at(-1) ?? '')}`,
  rules: () => 'routing rules',
};

/** The command that mends what a snapshot could not bring to an account, or shows it. */
export function mendingCommand(session: Session, { account, account_id: id }: AppliedRow, { kind, key }: Attention): string {
  // Some names would select other accounts too.
  const isPlain = !/[*?,]|^@|^(all|own)$/.test(account);
  return `msgctl ${commands[kind](key)}${sameTarget(session, isPlain ? account : id)}`;
}
