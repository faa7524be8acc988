import * as contract from '../../../contract/areas/sandbox/store.ts';
import { sizeText } from '../../../contract/text/size-text.ts';
import { rememberInSandboxProfile } from '../../connection/remember.ts';
import { readUserFile } from '../../files/read.ts';
import type { Result } from '../../output/result.ts';
import type { Options, Session, Verb } from '../../verb/noun.ts';
import { openOutputFile } from '../../verb/output-file.ts';

/** Writes the whole store to a file. The file is opened first, so that nothing is read for a file that cannot be written. */
async function save({ targets, globals }: Session, [path = '']: readonly string[]): Promise<Result> {
  const file = openOutputFile(path, { flag: '<file>', what: 'the store', replaces: globals.yes });
  try {
    const { store } = await (await targets.sandboxClient()).call(contract.saveStore, {});
    const bytes = Buffer.from(store, 'base64');
    file.commit(bytes);
    const record = { file: path, bytes: bytes.length };
    return { kind: 'record', answer: record, record, text: `The store is saved in ${path} (${sizeText(bytes.length)}).\n` };
  } finally {
    file.close();
  }
}

/** Replaces everything in the store by what a file holds. */
async function load({ targets, notes }: Session, [path = '']: readonly string[], { dryRun }: Options): Promise<Result> {
  const bytes = await readUserFile(path);
  const answer = await (await targets.sandboxClient()).call(contract.loadStore, { bytes });
  if (dryRun !== true) {
    targets.setFirstAccount(answer.account_id);
    await rememberInSandboxProfile(targets, { sub_account_id: undefined });
    notes.say('The main key of the first account and the sandbox token are those of before.');
  }
  return { kind: 'record', answer, record: answer };
}

export const storeVerbs: readonly Verb[] = [
  {
    name: 'save',
    summary: 'Save the whole embedded store with its clock in a file',
    examples: [
      ['msgctl sandbox save monday.db', 'readable only by you; --yes replaces a file that exists'],
      ['msgctl sandbox load monday.db --yes', 'begin each test from there'],
    ],
    arguments: [{ name: 'file', summary: 'the file to write', completes: 'file' }],
    endpoint: contract.saveStore,
    shown: { columns: ['file', 'bytes'] },
    run: save,
  },
  {
    name: 'load',
    summary: 'Replace everything in the embedded store, and its clock, by a saved store',
    examples: [['msgctl sandbox load monday.db --yes', 'the main key and the sandbox token stay as they are']],
    arguments: [{ name: 'file', summary: 'a file of `msgctl sandbox save`', completes: 'file' }],
    endpoint: contract.loadStore,
    takesInput: false,
    shown: { columns: ['account_id', 'now'] },
    confirm: () => 'Replace everything in the store?',
    run: load,
  },
];
