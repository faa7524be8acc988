import { expect, it } from 'vitest';
import { kinds } from '../../src/account-as-code/kinds.ts';
import { isSandboxPath, isWrite } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints.ts';

/** Endpoints that write data: whole areas of the interface, and single endpoints of areas that also hold configuration. */
const data = [
  /^(billing|branding|numbers|contacts|messages|summaries|gaps|tasks|sessions|exports|broadcasts|channels|accounts|agency|snapshots|schedules|deals|notes|team|notifications|provider-templates|appointments|analytics|credits)\./,
  // List members and the main key.
  /^lists\.(add|remove)Contacts$/,
  /^keys\.(rotate|revokeCurrent)$/,
  // Runs, drafts, copies, and endpoints that write a part of what agents.update writes.
  /^agents\.(botConfig|activeHours|duplicate|publishDraft|discardDraft|optimize|addTag|updateTag|removeTag|generateTags|detachSource)$/,
  /^faqs\.(create|deleteMany|reorder|rebuild|fork|dedupe|dismissDedupe)$/,
  /^kb\./,
  /^templates\.(sync|opening|send)$/,
  /^webhooks\.(test|reenable|deliveries\.resend|replay)$/,
  // Secrets, what was read from tool servers, and files.
  /^functions\.(rotateSecret|removeSecret|test)$/,
  /^toolServers\.(refresh|test)$/,
  /^media\./,
  // The older way to write channel defaults.
  /^routing\.(clearDefault|setChannel|clearChannels)$/,
];

it('every endpoint that writes belongs to a kind or is listed as data', () => {
  const claimed = new Set(Object.values(kinds).flatMap((kind) => kind.endpoints.map(({ name }) => name)));
  const writing = endpoints.filter((endpoint) => isWrite(endpoint) && !isSandboxPath(endpoint.path)).map(({ name }) => name);
  expect(writing.length).toBeGreaterThan(60);
  expect(writing.filter((name) => !claimed.has(name) && !data.some((pattern) => pattern.test(name)))).toEqual([]);
});
