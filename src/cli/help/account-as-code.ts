import type { Block } from './layout.ts';

/** The topic `msgctl help account-as-code`. */
export const blocks: readonly Block[] = [
  'A whole account as a folder of YAML files: its agents, FAQs, templates, webhooks, rules and the rest of its configuration. ' +
    'You edit the files, review the difference, and apply it. Contacts, messages and the members of lists are data, and are ' +
    'not in the files. Deleting a tag or a list takes it off its contacts; undo gives it back to 10,000 contacts at most. There is no state file: the live account and the files are the only state.',
  'A first run:',
  [
    ['msgctl dump account', 'writes the live account to the folder account/'],
    ['$EDITOR account/tags.yaml', 'change something, for example the description of a tag'],
    ['msgctl diff account', 'shows what would change; exit 0 when nothing would, 3 when something would'],
    ['msgctl apply account', 'shows the plan, asks, and applies it'],
    ['msgctl undo', 'undoes the last apply'],
  ],
  'The layout is that of `dump`, but any file may hold any record: a file is a map of kinds to lists, such as ' +
    'tags: [{name: VIP}]. A file below agents/, events/ or templates/ may be one bare record. Records name each other by their names.',
  [
    ['account.yaml', 'account, base, vars and prune, all optional'],
    ['tags.yaml, lists.yaml', 'also webhooks.yaml, campaigns.yaml and short-links.yaml'],
    ['routing.yaml', 'defaults, and rules, of which the first that matches wins'],
    ['agents/NAME.yaml', 'one agent; long texts are files of their own, named with !file'],
    ['events/, templates/, faqs/', 'event types, templates by name and language, FAQs by campaign'],
    ['keys.yaml, sources.yaml', 'only with --with keys or --with sources'],
    ['account.schema.json', 'the JSON Schema by which editors check the files'],
  ],
  'In values, ${name} is a variable of account.yaml ($${ is a literal ${), !file PATH the text of a file in the folder, and ' +
    '!env NAME a value of the environment, which is never shown. base: [DIR] builds on other folders: maps are merged field by ' +
    'field, records by their names, other lists replaced; absent: true takes a record of a base away. A base is below the git checkout ' +
    'that holds the folder, or else beside the folder; --base-root DIR allows another place.',
  'A field that is left out is not managed, and null clears one. was: NAME renames a record. id: ID tells records of one name ' +
    'apart. Nothing is deleted unless prune in account.yaml, or --prune, names its kind; deleting more than 30 % of ten or more, ' +
    'or data that cannot be restored, needs --allow-deletes with the exact number.',
  'In CI, `msgctl diff account` exits 3 when something that the files manage was changed. Add --prune with the kinds that the ' +
    'files have, such as --prune tags,agents,rules, and it also exits 3 for records that the files do not have. `diff` changes nothing. ' +
    'A scoped key needs the section Users and those of the kinds: Tags, Lists, Events, Agents, Campaigns, FAQs, Templates, Webhooks, ' +
    'Short Links, Entry Points, and Knowledge Base for agents.',
  'Before each write the record is read again. When somebody changed it since, it is a conflict: it is left alone, and what ' +
    'depends on it is skipped. A change that is made between that read and the write, within one round trip, is overwritten. ' +
    'What was written is in a journal on this machine, which undo needs, and the next apply after a run that ended early. An undo is a run too: a second ' +
    '`msgctl undo` reverts the first one. `msgctl undo RUN` goes further back, `msgctl undo list` lists the runs, and ' +
    '`msgctl undo --sub-account all` undoes the last run in every account that has it.',
  'New signing secrets and keys are written to --secrets-out FILE only; without it, a run that would make one is refused. ' +
    'They are never in the files, in a plan or in the journal. A plan of `msgctl diff --out` has digests of other secrets, whose key ' +
    'stays on this machine: set MSGCTL_PLAN_KEY to apply it on another one. `msgctl schema account` prints a JSON Schema by which editors check the files.',
  'Exit codes: diff 0 same, 3 differs, 6 something is ambiguous or blocked; apply and undo 0 done, 6 conflicts only, 8 a write ' +
    'failed, 130 interrupted after the current change; 2 wrong files, or no terminal to confirm on.',
];
