import type { Block } from './layout.ts';

/** The topic `msgctl help account-as-code`. */
export const blocks: readonly Block[] = [
  'Account as code keeps the configuration of an account in a folder of YAML files: settings, agents, FAQs, templates, webhooks, rules and more. ' +
    'You edit the files, review the difference, and apply it. Contacts, messages and the members of lists are data, so they are ' +
    'not in the files. Deleting a tag or a list removes it from its contacts; undo restores it on 10,000 contacts at most. There is no state file: ' +
    'msgctl compares the files with the live account.',
  'A first run:',
  [
    ['msgctl dump account', 'writes the live account to the folder account/'],
    ['$EDITOR account/tags.yaml', 'change something, for example the description of a tag'],
    ['msgctl diff account', 'shows what would change; exits 0 if nothing would, 3 if something would'],
    ['msgctl apply account', 'shows the plan, asks, and applies it'],
    ['msgctl undo', 'undoes the last apply'],
  ],
  '`dump` writes this layout, but any file may hold any record. A file is a map of kinds to lists, such as ' +
    'tags: [{name: VIP}]. A file below agents/, events/ or templates/ may hold a single record without the list. Records refer to each other by name.',
  [
    ['account.yaml', 'account, base, vars and prune, all optional'],
    ['config.yaml', 'config, a map of the settings of the account, except those of billing; not written while all are the initial ones'],
    [
      'tags.yaml, lists.yaml',
      'also pipelines.yaml, functions.yaml, tool-servers.yaml, groups.yaml, webhooks.yaml, widgets.yaml, campaigns.yaml and short-links.yaml',
    ],
    ['routing.yaml', 'defaults and rules; the first rule that matches wins'],
    ['agents/NAME.yaml', 'one agent; long texts are in files of their own, included with !file'],
    ['events/, templates/, faqs/', 'event types, templates by name and language, FAQs by campaign'],
    ['keys.yaml, sources.yaml', 'only with --with keys or --with sources'],
    ['account.schema.json', 'the JSON Schema, which editors use to check the files'],
  ],
  'In values, ${name} inserts a variable of account.yaml; write $${ for a literal ${. !file PATH inserts the text of a file in the folder. ' +
    '!env NAME inserts an environment variable, whose value is never shown. The values of headers of functions and tool servers come from !env. ' +
    'They are written when the record or the header is new, and never compared, because the service does not show them.',
  'base: [DIR] builds on other folders. Maps are merged field by field and records by name; other lists are replaced. ' +
    'absent: true removes a record of a base. A base must be in the same git checkout as the folder, or next to the folder if there is no checkout. ' +
    '--base-root DIR allows another place.',
  'A field that the files omit is not managed; null clears a field. was: NAME renames a record. id: ID tells records of the same name ' +
    'apart. Nothing is deleted unless prune in account.yaml, or --prune, names its kind. Deleting more than 30 % of ten or more records, ' +
    'or data that cannot be restored, needs --allow-deletes with the exact number.',
  'In CI, `msgctl diff account` exits 3 when somebody changed something that the files manage. Add --prune with the kinds that the ' +
    'files have, such as --prune tags,agents,rules, to exit 3 also for records that the files do not have. `diff` changes nothing. ' +
    'A scoped key needs the section Users and the sections of the kinds: Account Config, Tags, Lists, Events, Custom Functions, MCP Servers, Agents, Campaigns, FAQs, ' +
    'Templates, Webhooks, Widgets, Short Links, Entry Points, and Knowledge Base for groups and agents.',
  'Before each write, msgctl reads the record again. If somebody has changed it since the plan was made, that is a conflict: the record is not written, and ' +
    'changes that depend on it are skipped. A change made between that read and the write (one round trip) is overwritten.',
  'msgctl records its writes in a journal; undo and a resumed apply read the journal on this machine. An undo is a run too: a second ' +
    '`msgctl undo` reverts the first one. `msgctl undo RUN` goes further back, `msgctl undo list` lists the runs, and ' +
    '`msgctl undo --sub-account all` undoes the last run in every account that it changed.',
  'New signing secrets and keys are written only to the file of --secrets-out FILE. Without it, a run that would create one is refused. ' +
    'Secrets are never in the files, in a plan or in the journal. A plan of `msgctl diff --out` holds only digests of secrets, made with a key that ' +
    'stays on this machine: to apply a plan on another machine, set the same MSGCTL_PLAN_KEY for both commands. `msgctl schema account` prints the JSON Schema of the files.',
  'Many accounts: with --sub-account, DIR holds a folder for each account, whose account.yaml names it, or the records of all of them. ' +
    '--vars FILE then names a CSV file with the column account and a variable in each other column; they go before vars in account.yaml.',
  'Exit codes. diff: 0 same, 3 differs, 6 something is ambiguous or blocked. apply and undo: 0 done, 6 conflicts only, 8 a write ' +
    'failed, 130 interrupted after the current change. All: 2 the files are wrong, or there is no terminal to confirm on.',
];
