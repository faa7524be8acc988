/** A topic of `msgctl help`. */
interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly text: () => string | Promise<string>;
}

/** Every topic, in the order of the root help. */
export const topics: readonly Topic[] = [
  { name: 'output', summary: 'Formats, fields, queries, and what goes where', text: () => output },
  { name: 'profiles', summary: 'Keys, addresses and sub-accounts: which are used when', text: () => profiles },
  {
    name: 'scopes',
    summary: 'Sections, permissions and the fields of a plan',
    text: async () => (await import('./scopes.ts')).scopesText(),
  },
  { name: 'exit-codes', summary: 'What a script learns from the exit code', text: () => exitCodes },
  { name: 'environment', summary: 'The variables that are read', text: () => environment },
  { name: 'reference', summary: 'Every command with its options', text: async () => (await import('./reference.ts')).reference() },
];

/** The topic that the words name, such as `exit codes`; undefined when there is none. */
export function findTopic(words: readonly string[]): Topic | undefined {
  const name = words.join('-').toLowerCase();
  return topics.find((topic) => topic.name === name);
}

const output = `Output

Data goes to stdout, and nothing else does: notes, prompts, progress and errors go to stderr.

  -o table    for people: borders and colour on a terminal only, cut at its width (the default)
  -o json     the interface's answer, without "success": exactly one document
  -o ndjson   one row a line, for streams
  -o csv      RFC 4180, in a fixed order of columns; what a spreadsheet would run is disarmed by an apostrophe
  -o tsv      the same with tabs
  -o yaml     as json, to read

--fields a,b.c      shows these fields alone, in this order; an unknown one is told before anything is done
--query EXPRESSION  picks out of the JSON document by JMESPath: 'tags[].name', 'tags[?contact_count > \`0\`]'.
                    Rows make a table, a list of texts makes lines: msgctl tags list --all --query 'tags[].id' -o tsv

Lists show 50 rows. --limit N shows N in all, --all every row, --cursor CURSOR goes on from a next_cursor. They are
read page by page, in constant memory. With --query, which needs the whole answer, and on several accounts every row
is read unless --limit says otherwise. A list that an error breaks
off stays a whole document, and its next_cursor says where to go on. An empty list is an empty document.

With -o json an error is one JSON object on stderr: code, message, hint, status, error_code, exit_code. When the rate
limit makes a command wait, stderr says so: with -o json as {"event":"waiting","message":"…","seconds":12}.

NO_COLOR turns colour off, FORCE_COLOR on. Nothing is ever sent through a pager.

Writes take --dry-run, which prints the request and sends nothing, and --input FILE (or -), a body as JSON or YAML over
which flags win. What cannot be undone asks first on a terminal, and needs --yes elsewhere.
`;

const profiles = `Profiles

A profile is an address with its key, and the sub-account that it acts on. \`msgctl login\` makes one once the key works;
\`msgctl profiles\` lists, shows, uses, renames and removes them; \`msgctl logout\` forgets a key. They lie in
profiles.json in ~/.config/msgctl (or where XDG_CONFIG_HOME says), readable by you alone.

The profile \`sandbox\` is built in: it runs the service within each command, on the store in MSGCTL_DATA_DIR.

Which profile    --profile, else MSGCTL_PROFILE, else the one in use
Which address    --base-url, else MSGCTL_BASE_URL, else the profile's
Which key        MSGCTL_API_KEY, else the profile's, which goes only to the address that it was stored for.
                 No key is ever an argument. A key from the environment in the place of a profile's is said once.
Which account    --sub-account, else MSGCTL_SUB_ACCOUNT, else what \`msgctl accounts use\` had the profile remember

  --sub-account acc_1          one sub-account
  --sub-account acc_1,acc_2    each of them
  --sub-account all            every sub-account of the agency
  --sub-account own            the key's own account, whatever the profile remembers

On several accounts the answers are merged into one list with a column sub_account_id. When some failed, the others are
shown all the same, the failures are told, and the exit code is 8.
`;

const exitCodes = `Exit codes

    0  done
    1  failed: the service refused the request (400, 402, 410, 422), or something here went wrong
    2  the command line is wrong, or --yes is missing
    3  differences found
    4  not authenticated, or not allowed (401, 403)
    5  not found (404)
    6  conflict (409)
    7  rate limited (429)
    8  part of a batch failed
    9  the service or the network is unavailable (5xx, no connection)
  130  interrupted
`;

const environment = `Environment

  MSGCTL_API_KEY         the key; wins over the profile's
  MSGCTL_BASE_URL        the service's address, version prefix included
  MSGCTL_PROFILE         the profile to use
  MSGCTL_SUB_ACCOUNT     the sub-account to act on, as --sub-account
  MSGCTL_OUTPUT          the output format
  MSGCTL_DATA_DIR        where the embedded store of the profile \`sandbox\` lies
  MSGCTL_SANDBOX_TOKEN   the token of the control surface, in the place of the store's own
  MSGCTL_FAILPOINT       for drills of recovery: \`serve\` kills itself at request.committed, delivery.leased,
                         delivery.sent, broadcast.leased or broadcast.sending; \`delivery.sent:3\` at the third time
  XDG_CONFIG_HOME        the folder in which msgctl/profiles.json lies
  XDG_DATA_HOME          the folder in which the embedded store lies, unless MSGCTL_DATA_DIR says otherwise
  NO_COLOR, FORCE_COLOR  colour never, colour always
`;
